// The messages of a session that the reader may see (sent in it, naming it, or accepted by it), and the memories kept in it, oldest first. Parameters: session, window (of each, at most), reader, mailboxes, everything. Rows: one with own (whether all of it is the reader's to see), found (pairs of time and id), memories (the same), none for no such session.
MATCH (s:Session {id: $session})
WITH s, $everything OR s.agent = $reader AS own
CALL (s) {
  MATCH (s)<-[:ORIGINATES_IN|RELATED_SESSION|ACCEPTED_BY]-(m:Message)-[b:SENT_BY]->()
  WHERE $everything OR b.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  WITH DISTINCT m ORDER BY m.createdAt, m.id LIMIT $window
  RETURN collect([m.createdAt.epochMillis, m.id]) AS found
}
CALL (s, own) {
  MATCH (s)<-[:RECORDED_IN]-(y:Memory) WHERE own
  WITH y ORDER BY y.id LIMIT $window
  RETURN collect([y.createdAt.epochMillis, y.id]) AS memories
}
RETURN own, found, memories
