// The newest messages of some senders in a period, for a reader of everything. Parameters: senders, since, until (times; until is past the end), window (messages to scan, of each sender too). Rows: one with scanned, lastTime, found (pairs of time and id, newest first).
CALL () {
  UNWIND $senders AS sender
  CALL (sender) {
    MATCH ()-[s:SENT_BY]->()
    USING INDEX SEEK s:SENT_BY(sender, createdAt, messageId)
    WHERE s.sender = sender AND s.createdAt >= $since AND s.createdAt < $until AND s.messageId > ''
    WITH s ORDER BY s.sender DESC, s.createdAt DESC, s.messageId DESC LIMIT $window
    RETURN s.createdAt AS createdAt, s.messageId AS id
  }
  RETURN createdAt.epochMillis AS at, id ORDER BY createdAt DESC, id DESC LIMIT $window
}
RETURN count(*) AS scanned, last(collect(at)) AS lastTime, collect([at, id]) AS found
