// The newest entries of a mailbox, archived ones where includeArchived is said, in the thread that the filter names, and that fit, and where the scan stopped. Parameters: mailbox, before (a uid), window (entries to scan), counting, includeArchived, and the filters unread, sender, thread, tags, priority, since, via (null: any). Rows: one with state, unreadCount, scanned, lastUid, fitting, entries; none for an unknown mailbox.
MATCH (b:Mailbox {address: $mailbox})
WITH b.modseq AS state, b.unreadCount AS unreadCount
CALL () {
  MATCH (m)-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, thread, uid)
  WHERE d.mailbox = $mailbox AND d.thread = $thread AND d.uid < $before
    AND ($includeArchived OR d.folder = 'INBOX')
  WITH m, d ORDER BY d.mailbox DESC, d.thread DESC, d.uid DESC LIMIT $window
  WITH m, d,
    ($unread IS NULL OR coalesce(d.unread, false) = $unread)
    AND ($sender IS NULL OR d.sender = $sender)
    AND ($thread IS NULL OR d.thread = $thread)
    AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN d.tags))
    AND ($priority IS NULL OR m.priority = $priority)
    AND ($since IS NULL OR d.deliveredAt >= $since)
    AND ($via IS NULL OR d.via = $via) AS fits
  RETURN count(*) AS scanned, min(d.uid) AS lastUid, count(CASE WHEN fits THEN 1 END) AS fitting,
    collect(CASE WHEN fits AND NOT $counting THEN {
      uid: d.uid, unread: coalesce(d.unread, false), deliveredAt: d.deliveredAt, seenAt: d.seenAt, readAt: d.readAt,
      archivedAt: d.archivedAt, via: d.via, tags: d.tags, sender: d.sender, thread: d.thread,
      message: m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance}
    } END) AS entries
}
RETURN state, unreadCount, scanned, lastUid, fitting, entries
