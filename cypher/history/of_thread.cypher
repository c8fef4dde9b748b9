// The newest messages of a thread in a period that the reader may see. Parameters: thread, since, until (times; until is past the end), low, high (ids that surround those of the period), window (messages to scan), reader, mailboxes, everything. Rows: one with scanned, lastTime, found (pairs of time and id, newest first).
MATCH (m)-[p:PART_OF_THREAD]->()
USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
WHERE p.thread = $thread AND p.messageId >= $low AND p.messageId < $high
WITH m, p ORDER BY p.thread DESC, p.messageId DESC LIMIT $window
WITH m.createdAt.epochMillis AS at, p.messageId AS id,
  m.expungedAt IS NULL AND m.createdAt >= $since AND m.createdAt < $until
  AND ($everything OR EXISTS { (m)-[s:SENT_BY]->() WHERE s.sender = $reader } OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = p.messageId
  }) AS fits
RETURN count(*) AS scanned, last(collect(at)) AS lastTime, collect(CASE WHEN fits THEN [at, id] END) AS found
