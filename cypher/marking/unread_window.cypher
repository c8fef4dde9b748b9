// The next unread entries of a locked mailbox's inbox, oldest first, and how they are marked. Parameters: mailbox, after and below (uids), limit. Rows: message, uid, modseq, folder, unread, seen.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, folder, unread, uid)
WHERE d.mailbox = $mailbox AND d.folder = 'INBOX' AND d.unread = true AND d.uid > $after AND d.uid < $below
WITH d ORDER BY d.mailbox, d.folder, d.unread, d.uid LIMIT $limit
RETURN d.messageId AS message, d.uid AS uid, d.modseq AS modseq, d.folder AS folder,
  coalesce(d.unread, false) AS unread, d.seenAt IS NOT NULL AS seen
ORDER BY uid
