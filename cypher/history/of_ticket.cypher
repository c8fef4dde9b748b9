// What agents wrote to each other in the threads in which a message that the reader may see refers to a ticket, of that what he may see, in the order of ids, and where the scan stopped. Parameters: ticket (a key), between (handles), since, until (times; until is past the end), after (the id that the page lies after), high (an id past those of the period), references (how many to look at), window (messages to scan, of each thread too), reader, mailboxes, everything. Rows: one with scanned, lastId, found (ids).
CALL () {
  MATCH (:Ticket {key: $ticket})<-[:REFERENCES_TICKET]-(m:Message)
  WITH m LIMIT $references
  MATCH (m)-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  MATCH (m)-[p:PART_OF_THREAD]->()
  RETURN DISTINCT p.thread AS thread
}
CALL (thread) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = thread AND p.messageId > $after AND p.messageId < $high
  WITH m, p ORDER BY p.thread, p.messageId LIMIT $window
  RETURN m, p.messageId AS id
}
WITH m, id ORDER BY id LIMIT $window
WITH id, m.createdAt >= $since AND m.createdAt < $until AND EXISTS {
    MATCH (m)-[s:SENT_BY]->()
    WHERE s.sender IN $between
      AND ($everything OR s.sender = $reader OR EXISTS {
        MATCH ()-[d:DELIVERED_TO]->()
        USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
        WHERE d.mailbox IN $mailboxes AND d.messageId = id
      })
      AND (EXISTS { (m)-[t:SENT_TO]->() WHERE t.address IN $between AND t.address <> s.sender } OR EXISTS {
        MATCH ()-[r:DELIVERED_TO]->()
        USING INDEX SEEK r:DELIVERED_TO(mailbox, messageId)
        WHERE r.mailbox IN $between AND r.messageId = id AND r.mailbox <> s.sender
      })
  } AS fits
RETURN count(*) AS scanned, last(collect(id)) AS lastId, collect(CASE WHEN fits THEN id END) AS found
