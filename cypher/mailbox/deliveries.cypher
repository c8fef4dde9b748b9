// A mailbox's entries of these messages. Parameters: mailbox, ids (of messages). Rows: uid, unread, deliveredAt, seenAt, readAt, archivedAt, via, tags, sender, thread, message; none for a message that is not in it.
UNWIND $ids AS id
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id
RETURN d.uid AS uid, coalesce(d.unread, false) AS unread, d.deliveredAt AS deliveredAt, d.seenAt AS seenAt,
  d.readAt AS readAt, d.archivedAt AS archivedAt, d.via AS via, d.tags AS tags, d.sender AS sender, d.thread AS thread,
  m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance} AS message
