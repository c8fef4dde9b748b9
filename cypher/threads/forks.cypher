// Where did each thread fork off, and which threads forked off it, as far as the reader sees? Parameters: ids (of threads), reader, mailboxes, everything. Rows: thread, direction (FROM: other is the message it answers; TO: other is a thread that answers a message of it), other.
UNWIND $ids AS thread
CALL (thread) {
  MATCH (:Thread {id: thread})-[:FORKED_FROM]->(m:Message)-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  RETURN 'FROM' AS direction, m.id AS other
  UNION
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = thread AND p.messageId > ''
    AND (EXISTS { (m)-[s:SENT_BY]->() WHERE $everything OR s.sender = $reader }
      OR EXISTS {
        MATCH ()-[d:DELIVERED_TO]->()
        USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
        WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
      })
  MATCH (m)<-[:FORKED_FROM]-(t:Thread)<-[:PART_OF_THREAD]-(x:Message)-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = x.id
  }
  RETURN DISTINCT 'TO' AS direction, t.id AS other
}
RETURN thread, direction, other
ORDER BY thread, direction, other
