// The messages of a sender in a period that the reader may see, oldest first, and where the scan stopped. Parameters: sender, since, until (times, all said; until is past the end), afterTime, afterId (what the page lies after), window (messages to scan), reader, mailboxes, everything. Rows: one with scanned, lastTime, lastId, found (pairs of time and id).
MATCH (m)-[s:SENT_BY]->()
USING INDEX SEEK s:SENT_BY(sender, createdAt, messageId)
WHERE s.sender = $sender AND s.createdAt >= $since AND s.createdAt < $until AND s.messageId > ''
  AND (s.createdAt > $afterTime OR s.messageId > $afterId)
WITH s ORDER BY s.sender, s.createdAt, s.messageId LIMIT $window
WITH s.createdAt.epochMillis AS at, s.messageId AS id,
  $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = s.messageId
  } AS fits
RETURN count(*) AS scanned, last(collect(at)) AS lastTime, last(collect(id)) AS lastId,
  collect(CASE WHEN fits THEN [at, id] END) AS found
