// Whom do these messages, found to be the reader's to see, ask, and who answered one in a thread that forked off there, as far as he sees? Parameters: ids (of messages), reader, mailboxes, everything. Rows: id, handle, elsewhere (true: he answered there; false: he is asked).
UNWIND $ids AS id
MATCH (m:Message {id: id})
CALL (m) {
  MATCH (m)-[t:SENT_TO]->(r:AgentIdentity)
  WHERE t.kind = 'TO'
  RETURN r.handle AS handle, false AS elsewhere
  UNION
  MATCH (m)<-[:FORKED_FROM]-(:Thread)<-[:PART_OF_THREAD]-(x:Message)-[s:SENT_BY]->()
  WHERE EXISTS { (x)-[:IN_REPLY_TO]->(m) }
    AND ($everything OR s.sender = $reader OR EXISTS {
      MATCH ()-[d:DELIVERED_TO]->()
      USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
      WHERE d.mailbox IN $mailboxes AND d.messageId = x.id
    })
  RETURN s.sender AS handle, true AS elsewhere
}
RETURN id, handle, elsewhere
