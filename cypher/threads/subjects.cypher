// The oldest message of each thread that its reader may see, whose subject is the thread's for him, and the memory that it answers. Parameters: ids, reader, mailboxes, everything. Rows: id, first (that message's id), subject, createdAt, memory (null where it answers none); none for a thread of which he sees nothing.
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
  RETURN m.id AS first, m.subject AS subject, m.createdAt.epochMillis AS createdAt,
    head([(m)-[:IN_REPLY_TO]->(x:Memory) | x.id]) AS memory
}
RETURN id, first, subject, createdAt, memory
