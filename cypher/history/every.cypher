// The newest messages of a period among all there are, for a reader of everything. Parameters: since, until (times; until is past the end), low, high (ids that surround those of the period), window (messages to scan). Rows: one with scanned, lastTime, found (pairs of time and id, newest first).
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id >= $low AND m.id < $high
WITH m ORDER BY m.id DESC LIMIT $window
WITH m.createdAt.epochMillis AS at, m.id AS id,
  m.expungedAt IS NULL AND m.createdAt >= $since AND m.createdAt < $until AS fits
RETURN count(*) AS scanned, last(collect(at)) AS lastTime, collect(CASE WHEN fits THEN [at, id] END) AS found
