// Which of these threads hold no message that the reader may see from a place on, so that no earlier page listed them? Parameters: ids (of threads), start (a message id), reader, mailboxes, everything. Rows: id, members (how many it has in all).
UNWIND $ids AS id
MATCH (t:Thread {id: id})
WHERE NOT EXISTS {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = id AND p.messageId >= $start
  MATCH (m)-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
}
RETURN id, t.messageCount AS members
