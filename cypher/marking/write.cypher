// Marks entries of a locked mailbox and their tag index, each a change of its own. Parameters: mailbox, entries (a list of {message, folder, unread} as they are to be; unread null for read), unreadBy (what that adds to unreadCount), readAt (null: none is read now; the first one stays), at. Rows: marked.
MATCH (b:Mailbox {address: $mailbox})
WITH b, b.modseq AS modseq
SET b.modseq = modseq + size($entries), b.unreadCount = b.unreadCount + $unreadBy
WITH modseq
UNWIND range(0, size($entries) - 1) AS i
WITH $entries[i] AS e, modseq + i + 1 AS modseq
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = e.message
WITH e, d, modseq, d.folder AS folder
SET d.modseq = modseq, d.folder = e.folder, d.unread = e.unread, d.readAt = coalesce(d.readAt, $readAt),
    d.archivedAt = CASE WHEN e.folder = folder THEN d.archivedAt WHEN e.folder = 'ARCHIVE' THEN $at END
WITH e, d, folder
CALL (e, d, folder) {
  UNWIND d.tags AS tag
  MATCH ()-[f:FILED_UNDER]->()
  USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
  WHERE f.mailbox = $mailbox AND f.folder = folder AND f.concept = tag AND f.uid = d.uid
  SET f.folder = e.folder, f.unread = e.unread
  RETURN count(f) AS filed
}
RETURN count(d) AS marked
