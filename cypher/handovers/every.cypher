// An agent's handovers, accepted or not, oldest first. Parameters: agent, after (a uid), limit. Rows: uid, id, tags, session, pending, acceptedBy, acceptedAt.
MATCH (m)-[f:FILED_UNDER]->()
USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
WHERE f.mailbox = $agent AND f.folder = 'INBOX' AND f.concept = 'sunset-protocol-handover' AND f.uid > $after
WITH m, f ORDER BY f.mailbox, f.folder, f.concept, f.uid LIMIT $limit
MATCH (m)-[:ORIGINATES_IN]->(s:Session)
OPTIONAL MATCH (m)-[a:ACCEPTED_BY]->(by:Session)
RETURN f.uid AS uid, m.id AS id, m.tags AS tags, s.id AS session, by IS NULL AS pending,
  by.id AS acceptedBy, a.acceptedAt.epochMillis AS acceptedAt
ORDER BY uid
