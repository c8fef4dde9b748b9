// Finishes the entry of a locked queue: it is read, and nobody claims it again. Parameters: mailbox, message, at. Rows: message.
MATCH (r:Role {address: $mailbox})
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = $message
WITH r, d, r.modseq + 1 AS modseq, CASE WHEN d.unread AND d.folder = 'INBOX' THEN 1 ELSE 0 END AS unread
SET r.modseq = modseq, r.unreadCount = r.unreadCount - unread,
  d.finishedAt = $at, d.readAt = coalesce(d.readAt, $at), d.modseq = modseq
REMOVE d.pending, d.unread, d.claimToken, d.claimedUntil
WITH d
OPTIONAL MATCH ()-[f:FILED_UNDER]->()
WHERE f.mailbox = $mailbox AND f.folder = d.folder AND f.concept IN d.tags AND f.uid = d.uid
REMOVE f.unread
RETURN DISTINCT d.messageId AS message
