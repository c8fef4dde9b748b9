// Which thread is a message in, if the reader may see it? Parameters: id, reader, mailboxes, everything. Rows: thread.
MATCH (m:Message {id: $id})-[s:SENT_BY]->()
WHERE $everything OR s.sender = $reader OR EXISTS {
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
}
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN p.thread AS thread
