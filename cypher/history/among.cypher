// What agents wrote to each other in a period, oldest first, of that what the reader may see, and where the scan stopped. Parameters: between (handles), shared (addresses of several: roles and the broadcast), since, until (times, all said; until is past the end), afterTime, afterId (what the page lies after), window (messages to scan, of each pair of addresses too), reader, mailboxes, everything. Rows: one with scanned, lastTime, lastId, found (pairs of time and id).
CALL () {
  UNWIND $between AS sender
  UNWIND $between + $shared AS address
  WITH sender, address WHERE sender <> address
  CALL (sender, address) {
    MATCH ()-[t:SENT_TO]->()
    USING INDEX SEEK t:SENT_TO(sender, address, createdAt, messageId)
    WHERE t.sender = sender AND t.address = address
      AND t.createdAt >= $since AND t.createdAt < $until AND t.messageId > ''
      AND (t.createdAt > $afterTime OR t.messageId > $afterId)
    WITH t ORDER BY t.sender, t.address, t.createdAt, t.messageId LIMIT $window
    RETURN t.createdAt AS createdAt, t.messageId AS id
  }
  WITH createdAt, id, sender, any(one IN collect(address) WHERE one IN $between) AS named
  RETURN createdAt, id, sender, named ORDER BY createdAt, id LIMIT $window
}
WITH createdAt.epochMillis AS at, id, (named OR EXISTS {
    MATCH ()-[r:DELIVERED_TO]->()
    USING INDEX SEEK r:DELIVERED_TO(mailbox, messageId)
    WHERE r.mailbox IN $between AND r.messageId = id AND r.mailbox <> sender
  }) AND ($everything OR sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = id
  }) AS fits
RETURN count(*) AS scanned, last(collect(at)) AS lastTime, last(collect(id)) AS lastId,
  collect(CASE WHEN fits THEN [at, id] END) AS found
