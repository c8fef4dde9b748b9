// Marks unread entries of a locked mailbox as read; the first readAt stays. Parameters: mailbox, messages, at. Rows: state.
MATCH (b:Mailbox {address: $mailbox})
WITH b, b.modseq AS modseq
SET b.modseq = modseq + size($messages), b.unreadCount = b.unreadCount - size($messages)
WITH b, modseq
UNWIND range(0, size($messages) - 1) AS i
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = $messages[i]
SET d.readAt = coalesce(d.readAt, $at), d.modseq = modseq + i + 1
REMOVE d.unread
WITH b, d
OPTIONAL MATCH ()-[f:FILED_UNDER]->()
WHERE f.mailbox = $mailbox AND f.folder = d.folder AND f.concept IN d.tags AND f.uid = d.uid
REMOVE f.unread
RETURN DISTINCT b.modseq AS state
