// The subject of each thread as its reader knows it, and the memory that it begins from: those of the oldest message of it he may see. Parameters: ids, reader, mailboxes, everything. Rows: id, subject, createdAt, memory (null where that message answers none); none for a thread of which he sees nothing.
UNWIND $ids AS id
CALL (id) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = id AND p.messageId > ''
  WITH m, p ORDER BY p.thread, p.messageId
  WHERE EXISTS { (m)-[s:SENT_BY]->() WHERE $everything OR s.sender = $reader }
    OR EXISTS {
      MATCH ()-[d:DELIVERED_TO]->()
      USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
      WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
    }
  WITH m LIMIT 1
  RETURN m.subject AS subject, m.createdAt.epochMillis AS createdAt,
    head([(m)-[:IN_REPLY_TO]->(x:Memory) | x.id]) AS memory
}
RETURN id, subject, createdAt, memory
