// Which of these messages has a mailbox's owner not been shown? Parameters: mailbox, ids (of messages). Rows: message; none for a message that is not in it.
UNWIND $ids AS id
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id AND d.seenAt IS NULL
RETURN d.messageId AS message
