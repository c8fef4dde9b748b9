// The direct replies to each message or memory that the reader may see, oldest first. Parameters: ids (of messages or memories), reader, mailboxes, everything, after (a message id), limit (for each). Rows: parent, sender, thread, message.
UNWIND $ids AS id
CALL (id) {
  MATCH (m)-[r:IN_REPLY_TO]->()
  USING INDEX SEEK r:IN_REPLY_TO(parent, messageId)
  WHERE r.parent = id AND r.messageId > $after
  WITH m, r ORDER BY r.parent, r.messageId
  WHERE EXISTS { (m)-[s:SENT_BY]->() WHERE $everything OR s.sender = $reader }
    OR EXISTS {
      MATCH ()-[d:DELIVERED_TO]->()
      USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
      WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
    }
  WITH m LIMIT $limit
  MATCH (m)-[s:SENT_BY]->()
  MATCH (m)-[p:PART_OF_THREAD]->()
  RETURN m, s.sender AS sender, p.thread AS thread
}
WITH id, sender, thread,
  m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance} AS message
ORDER BY message.id
RETURN id AS parent, sender, thread,
  message {
    .id, .subject, .priority, .expectsReply, .tags, .provenance,
    createdAt: message.createdAt.epochMillis, retracted: message.retractedAt IS NOT NULL
  } AS message
