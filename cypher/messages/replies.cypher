// The direct replies to each message that the reader may see, oldest first. Parameters: ids, reader, mailboxes, after (a message id), limit (for each). Rows: parent, sender, thread, message.
UNWIND $ids AS id
CALL (id) {
  MATCH (:Message {id: id})<-[:IN_REPLY_TO]-(m:Message)-[s:SENT_BY]->()
  WHERE m.id > $after AND (s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  })
  WITH m, s ORDER BY m.id LIMIT $limit
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
