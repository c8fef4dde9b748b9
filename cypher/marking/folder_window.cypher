// The next entries of a folder of a locked mailbox, oldest first, and how they are marked. Parameters: mailbox, folder, after and below (uids), limit. Rows: message, uid, modseq, folder, unread, seen.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, folder, uid)
WHERE d.mailbox = $mailbox AND d.folder = $folder AND d.uid > $after AND d.uid < $below
WITH d ORDER BY d.mailbox, d.folder, d.uid LIMIT $limit
RETURN d.messageId AS message, d.uid AS uid, d.modseq AS modseq, d.folder AS folder,
  coalesce(d.unread, false) AS unread, d.seenAt IS NOT NULL AS seen
ORDER BY uid
