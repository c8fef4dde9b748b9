// How many direct replies to each message may the reader see? Parameters: ids, reader, mailboxes, limit (count no further). Rows: id, replies.
UNWIND $ids AS id
CALL (id) {
  MATCH (:Message {id: id})<-[:IN_REPLY_TO]-(m:Message)-[s:SENT_BY]->()
  WHERE s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  WITH m LIMIT $limit
  RETURN count(m) AS replies
}
RETURN id, replies
