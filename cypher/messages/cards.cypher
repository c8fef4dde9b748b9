// The messages of these ids that the reader may see, as lists show them. Parameters: ids, reader, mailboxes, everything. Rows: sender, thread, message.
UNWIND $ids AS id
MATCH (m:Message {id: id})-[s:SENT_BY]->()
WHERE $everything OR s.sender = $reader OR EXISTS {
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
}
MATCH (m)-[p:PART_OF_THREAD]->()
WITH s.sender AS sender, p.thread AS thread,
  m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance} AS message
RETURN sender, thread,
  message {
    .id, .subject, .priority, .expectsReply, .tags, .provenance,
    createdAt: message.createdAt.epochMillis, retracted: message.retractedAt IS NOT NULL
  } AS message
