// Who takes part in each thread, as far as the reader sees: senders and named recipients of the messages he may see. Parameters: ids, reader, mailboxes, everything. Rows: id, handle, messages (how many he sent), lastAt (when he sent the last one; null for none); by handle.
UNWIND $ids AS id
CALL (id) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = id AND p.messageId > ''
  MATCH (m)-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  CALL (m, s) {
    RETURN s.sender AS handle, m.createdAt AS sentAt
    UNION ALL
    MATCH (m)-[:SENT_TO]->(named:AgentIdentity)
    RETURN named.handle AS handle, null AS sentAt
  }
  RETURN handle, count(sentAt) AS messages, max(sentAt).epochMillis AS lastAt
}
RETURN id, handle, messages, lastAt
ORDER BY id, handle
