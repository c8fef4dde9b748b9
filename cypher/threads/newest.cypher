// The newest messages of what the reader sent and of each mailbox open to him, with their threads. Parameters: reader, mailboxes, before, since (ids of messages), window (messages of each). Rows: source (a mailbox; empty for what he sent), id, thread.
CALL () {
  UNWIND $mailboxes AS mailbox
  CALL (mailbox) {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox = mailbox AND d.messageId < $before AND d.messageId >= $since
    WITH d ORDER BY d.mailbox DESC, d.messageId DESC LIMIT $window
    RETURN d.messageId AS id, d.thread AS thread
  }
  RETURN mailbox AS source, id, thread
  UNION ALL
  MATCH (m)-[s:SENT_BY]->()
  USING INDEX SEEK s:SENT_BY(sender, messageId)
  WHERE s.sender = $reader AND s.messageId < $before AND s.messageId >= $since
  WITH m, s ORDER BY s.sender DESC, s.messageId DESC LIMIT $window
  MATCH (m)-[p:PART_OF_THREAD]->()
  RETURN '' AS source, p.messageId AS id, p.thread AS thread
}
RETURN source, id, thread
