// Who takes part in each thread, as far as the reader sees: senders and named recipients of the messages he may see. Parameters: ids, reader, mailboxes. Rows: id, handle; by handle.
UNWIND $ids AS id
CALL (id) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = id AND p.messageId > ''
  MATCH (m)-[s:SENT_BY]->(author)
  WHERE s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  OPTIONAL MATCH (m)-[:SENT_TO]->(named:AgentIdentity)
  UNWIND [author.handle, named.handle] AS handle
  WITH DISTINCT handle WHERE handle IS NOT NULL
  RETURN handle
}
RETURN id, handle
ORDER BY id, handle
