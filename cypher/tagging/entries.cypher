// Locks a mailbox and reads the tags of its entries of these messages. Parameters: mailbox, ids (of messages, each once). Rows: message, tags; none for a message that is not in it.
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH b
UNWIND $ids AS id
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id
RETURN d.messageId AS message, d.tags AS tags
