// An agent's handovers that no session has accepted, oldest first. Parameters: agent, after (a uid), limit. Rows: uid, id, tags, session, pending, acceptedBy, acceptedAt.
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, pending, uid)
WHERE d.mailbox = $agent AND d.pending = true AND d.uid > $after
WITH m, d ORDER BY d.mailbox, d.pending, d.uid LIMIT $limit
MATCH (m)-[:ORIGINATES_IN]->(s:Session)
RETURN d.uid AS uid, m.id AS id, m.tags AS tags, s.id AS session, true AS pending,
  null AS acceptedBy, null AS acceptedAt
ORDER BY uid
