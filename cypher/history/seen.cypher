// The newest messages of a period among those that the reader sent and those in his mailboxes. Parameters: reader, mailboxes, since, until (times; until is past the end), low, high (ids that surround those of the period), window (messages to scan, of each mailbox too). Rows: one with scanned, lastTime, found (pairs of time and id, newest first).
CALL () {
  MATCH ()-[s:SENT_BY]->()
  USING INDEX SEEK s:SENT_BY(sender, createdAt, messageId)
  WHERE s.sender = $reader AND s.createdAt >= $since AND s.createdAt < $until AND s.messageId > ''
  WITH s ORDER BY s.sender DESC, s.createdAt DESC, s.messageId DESC LIMIT $window
  RETURN s.createdAt.epochMillis AS at, s.messageId AS id
  UNION
  UNWIND $mailboxes AS mailbox
  CALL (mailbox) {
    MATCH (m)-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox = mailbox AND d.messageId >= $low AND d.messageId < $high
    WITH m, d ORDER BY d.mailbox DESC, d.messageId DESC LIMIT $window
    RETURN m.createdAt AS createdAt, d.messageId AS id
  }
  WITH createdAt, id WHERE createdAt >= $since AND createdAt < $until
  RETURN createdAt.epochMillis AS at, id
}
WITH at, id ORDER BY at DESC, id DESC LIMIT $window
RETURN count(*) AS scanned, last(collect(at)) AS lastTime, collect([at, id]) AS found
