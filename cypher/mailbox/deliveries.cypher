// A mailbox's entries of these messages. Parameters: mailbox, ids (of messages). Rows: uid, unread, deliveredAt, seenAt, readAt, archivedAt, via, tags, sender, thread, message; none for a message that is not in it.
UNWIND $ids AS id
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id
WITH d {.uid, .unread, .deliveredAt, .seenAt, .readAt, .archivedAt, .via, .tags, .sender, .thread} AS entry,
  m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance} AS message
RETURN entry.uid AS uid, coalesce(entry.unread, false) AS unread, entry.deliveredAt.epochMillis AS deliveredAt,
  entry.seenAt.epochMillis AS seenAt, entry.readAt.epochMillis AS readAt, entry.archivedAt.epochMillis AS archivedAt,
  entry.via AS via, entry.tags AS tags, entry.sender AS sender, entry.thread AS thread,
  message {
    .id, .subject, .priority, .expectsReply, .tags, .provenance,
    createdAt: message.createdAt.epochMillis, retracted: message.retractedAt IS NOT NULL
  } AS message
