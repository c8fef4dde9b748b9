// Who answered messages already found to be the reader's to see, but for their own senders, as far as he may see it. Parameters: ids, reader, mailboxes, everything, limit (answers to each, the oldest). Rows: id, sender, at; by id and the answer's age.
UNWIND $ids AS id
CALL (id) {
  MATCH (:AgentIdentity)<-[s:SENT_BY]-(:Message {id: id})<-[:IN_REPLY_TO]-(x:Message)-[b:SENT_BY]->()
  WHERE b.sender <> s.sender AND ($everything OR b.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = x.id
  })
  WITH x.id AS answer, b.sender AS sender, b.createdAt.epochMillis AS at ORDER BY at, answer LIMIT $limit
  RETURN answer, sender, at
}
RETURN id, sender, at
ORDER BY id, at, answer
