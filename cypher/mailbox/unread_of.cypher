// Locks a mailbox and finds which of these messages are unread in it. Parameters: mailbox, ids (of messages, each once). Rows: message.
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH b
UNWIND $ids AS id
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id AND d.unread
RETURN d.messageId AS message
