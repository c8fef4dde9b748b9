// The newest entries of a mailbox's inbox that fit, and where the scan stopped. Parameters: mailbox, before (a uid), window (entries to scan), counting, and the filters unread, sender, thread, tags, priority, since, via (null: any). Rows: one with state, uidNext, unreadCount, scanned, lastUid, fitting, entries; none for an unknown mailbox.
MATCH (b:Mailbox {address: $mailbox})
WITH b.modseq AS state, b.uidNext AS uidNext, b.unreadCount AS unreadCount
CALL () {
  MATCH (m)-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, folder, uid)
  WHERE d.mailbox = $mailbox AND d.folder = 'INBOX' AND d.uid < $before
  WITH m, d ORDER BY d.mailbox DESC, d.folder DESC, d.uid DESC LIMIT $window
  WITH m, d,
    ($unread IS NULL OR coalesce(d.unread, false) = $unread)
    AND ($sender IS NULL OR d.sender = $sender)
    AND ($thread IS NULL OR d.thread = $thread)
    AND ($tags IS NULL OR all(names IN $tags WHERE any(name IN names WHERE name IN d.tags)))
    AND ($priority IS NULL OR m.priority = $priority)
    AND ($since IS NULL OR d.deliveredAt >= $since)
    AND ($via IS NULL OR d.via = $via) AS fits
  WITH d.uid AS uid, fits, fits AND NOT $counting AS shown, m, d
  WITH uid, fits,
    CASE WHEN shown THEN
      d {.uid, .unread, .deliveredAt, .seenAt, .readAt, .archivedAt, .via, .tags, .sender, .thread}
    END AS entry,
    CASE WHEN shown THEN
      m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance}
    END AS message
  RETURN count(*) AS scanned, min(uid) AS lastUid, count(CASE WHEN fits THEN 1 END) AS fitting,
    collect(entry {
      .uid, .via, .tags, .sender, .thread, unread: coalesce(entry.unread, false),
      deliveredAt: entry.deliveredAt.epochMillis, seenAt: entry.seenAt.epochMillis,
      readAt: entry.readAt.epochMillis, archivedAt: entry.archivedAt.epochMillis,
      message: message {
        .id, .subject, .priority, .expectsReply, .tags, .provenance,
        createdAt: message.createdAt.epochMillis, retracted: message.retractedAt IS NOT NULL
      }
    }) AS entries
}
RETURN state, uidNext, unreadCount, scanned, lastUid, fitting, entries
