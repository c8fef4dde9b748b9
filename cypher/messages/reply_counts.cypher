// How many direct replies to each message or memory may the reader see? Parameters: ids (of messages or memories), reader, mailboxes, everything, limit (count no further). Rows: id, replies.
UNWIND $ids AS id
CALL (id) {
  MATCH (m)-[r:IN_REPLY_TO]->()
  USING INDEX SEEK r:IN_REPLY_TO(parent, messageId)
  WHERE r.parent = id AND r.messageId > ''
    AND (EXISTS { (m)-[s:SENT_BY]->() WHERE $everything OR s.sender = $reader }
      OR EXISTS {
        MATCH ()-[d:DELIVERED_TO]->()
        USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
        WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
      })
  WITH m LIMIT $limit
  RETURN count(m) AS replies
}
RETURN id, replies
