// The memories of these ids that the reader may see: his own, and those that a message he may see refers to. Parameters: ids, reader, mailboxes, everything. Rows: id, text, agent, session, tags, createdAt.
UNWIND $ids AS id
MATCH (m:Memory {id: id})-[r:REMEMBERED_BY]->()
WHERE $everything OR r.agent = $reader OR EXISTS {
  MATCH (m)<-[:REFERENCES_MEMORY]-(x:Message)-[d:DELIVERED_TO]->() WHERE d.mailbox IN $mailboxes
}
OPTIONAL MATCH (m)-[:RECORDED_IN]->(s:Session)
RETURN m.id AS id, m.text AS text, r.agent AS agent, s.id AS session, m.tags AS tags, m.createdAt.epochMillis AS createdAt
