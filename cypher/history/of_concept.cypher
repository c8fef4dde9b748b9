// What a concept is on, in no order: messages that the reader sent with it in a period or has under it in a mailbox, and memories that he kept with it; for who sees everything, all messages and memories that somebody tagged. Parameters: own (names that it is filed under; none for who sees everything), every (the same names for who does, else none), since, until (times; until is past the end), window (edges to read of each way), reader, mailboxes. Rows: way (sent, filed, kept or every), scanned, found (pairs of time and id); one for each name and mailbox.
CALL () {
  UNWIND $own AS name
  CALL (name) {
    MATCH ()-[t:TAGGED_CONCEPT]->()
    USING INDEX SEEK t:TAGGED_CONCEPT(sender, concept, createdAt, messageId)
    WHERE t.sender = $reader AND t.concept = name
      AND t.createdAt >= $since AND t.createdAt < $until AND t.messageId > ''
    WITH t ORDER BY t.sender, t.concept, t.createdAt, t.messageId LIMIT $window
    RETURN count(*) AS scanned, collect([t.createdAt.epochMillis, t.messageId]) AS found
  }
  RETURN 'sent' AS way, scanned, found
  UNION ALL
  UNWIND $own AS name
  UNWIND $mailboxes AS mailbox
  UNWIND ['INBOX', 'ARCHIVE'] AS folder
  CALL (name, mailbox, folder) {
    MATCH (m)-[f:FILED_UNDER]->()
    USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
    WHERE f.mailbox = mailbox AND f.folder = folder AND f.concept = name AND f.uid > 0
    WITH m, f ORDER BY f.mailbox, f.folder, f.concept, f.uid LIMIT $window
    RETURN count(*) AS scanned, collect([m.createdAt.epochMillis, m.id]) AS found
  }
  RETURN 'filed' AS way, scanned, found
  UNION ALL
  UNWIND $own AS name
  CALL (name) {
    MATCH (y)-[t:TAGGED_CONCEPT]->()
    USING INDEX SEEK t:TAGGED_CONCEPT(agent, concept)
    WHERE t.agent = $reader AND t.concept = name
    WITH y LIMIT $window
    RETURN count(*) AS scanned, collect([y.createdAt.epochMillis, y.id]) AS found
  }
  RETURN 'kept' AS way, scanned, found
  UNION ALL
  UNWIND $every AS name
  CALL (name) {
    MATCH (:Concept {name: name})<-[t:TAGGED_CONCEPT]-(x)
    WITH x, t LIMIT $window
    RETURN count(*) AS scanned,
      collect(CASE WHEN t.source IS NULL THEN [x.createdAt.epochMillis, x.id] END) AS found
  }
  RETURN 'every' AS way, scanned, found
}
RETURN way, scanned, found
