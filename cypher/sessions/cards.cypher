// The sessions of these ids that the reader may see: his own, and those that a message he may see names. Parameters: ids, reader, mailboxes, everything. Rows: id, externalId, agent, startedAt, endedAt.
UNWIND $ids AS id
MATCH (s:Session {id: id})
WHERE $everything OR s.agent = $reader OR EXISTS {
  MATCH (s)<-[:ORIGINATES_IN|RELATED_SESSION|ACCEPTED_BY]-(m:Message)
  WHERE EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  } OR EXISTS { (m)-[b:SENT_BY]->() WHERE b.sender = $reader }
}
RETURN s.id AS id, s.externalId AS externalId, s.agent AS agent, s.startedAt.epochMillis AS startedAt,
  s.endedAt.epochMillis AS endedAt
