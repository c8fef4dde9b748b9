// The handovers among an agent's messages of these ids. Parameters: agent, ids. Rows: uid, id, tags, session, pending, acceptedBy, acceptedAt; oldest first.
UNWIND $ids AS id
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $agent AND d.messageId = id AND m.kind = 'HANDOVER'
MATCH (m)-[:ORIGINATES_IN]->(s:Session)
OPTIONAL MATCH (m)-[a:ACCEPTED_BY]->(by:Session)
RETURN d.uid AS uid, m.id AS id, m.tags AS tags, s.id AS session, by IS NULL AS pending,
  by.id AS acceptedBy, a.acceptedAt.epochMillis AS acceptedAt
ORDER BY uid
