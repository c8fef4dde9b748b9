// The next changed entries of a locked mailbox after a state, archived ones included, oldest change first. Parameters: mailbox, after (a modseq), limit. Rows: modseq, uid, unread, deliveredAt, seenAt, readAt, archivedAt, via, tags, sender, thread, message.
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, modseq)
WHERE d.mailbox = $mailbox AND d.modseq > $after
WITH m, d ORDER BY d.mailbox, d.modseq LIMIT $limit
WITH d {.modseq, .uid, .unread, .deliveredAt, .seenAt, .readAt, .archivedAt, .via, .tags, .sender, .thread} AS entry,
  m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance} AS message
RETURN entry.modseq AS modseq, entry.uid AS uid, coalesce(entry.unread, false) AS unread,
  entry.deliveredAt.epochMillis AS deliveredAt, entry.seenAt.epochMillis AS seenAt,
  entry.readAt.epochMillis AS readAt, entry.archivedAt.epochMillis AS archivedAt,
  entry.via AS via, entry.tags AS tags, entry.sender AS sender, entry.thread AS thread,
  message {
    .id, .subject, .priority, .expectsReply, .tags, .provenance,
    createdAt: message.createdAt.epochMillis, retracted: message.retractedAt IS NOT NULL
  } AS message
ORDER BY modseq
