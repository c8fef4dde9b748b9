// Locks a mailbox and finds its entries of these messages. Parameters: mailbox, ids. Rows: message, uid, unread, readAt; none for a message that is not in it.
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH b
UNWIND $ids AS id
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id
RETURN d.messageId AS message, d.uid AS uid, coalesce(d.unread, false) AS unread, d.readAt.epochMillis AS readAt
