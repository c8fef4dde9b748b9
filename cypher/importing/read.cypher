// Marks entries that were just imported as read, in locked mailboxes. Parameters: mailboxes (a list of {address, messages}), at. Rows: read (how many).
UNWIND $mailboxes AS g
MATCH (b:Mailbox {address: g.address})
WITH b, g, b.modseq AS modseq
SET b.modseq = modseq + size(g.messages), b.unreadCount = b.unreadCount - size(g.messages)
WITH g, modseq
UNWIND range(0, size(g.messages) - 1) AS i
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = g.address AND d.messageId = g.messages[i]
SET d.readAt = $at, d.modseq = modseq + i + 1
REMOVE d.unread
WITH d
OPTIONAL MATCH ()-[f:FILED_UNDER]->()
WHERE f.mailbox = d.mailbox AND f.folder = d.folder AND f.concept IN d.tags AND f.uid = d.uid
REMOVE f.unread
RETURN count(DISTINCT d) AS read
