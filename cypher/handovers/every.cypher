// An agent's handovers, accepted or not, archived or not, oldest first. Parameters: agent, after (a uid), limit. Rows: uid, id, tags, session, pending, acceptedBy, acceptedAt.
CALL () {
  MATCH (m)-[f:FILED_UNDER]->()
  USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
  WHERE f.mailbox = $agent AND f.folder = 'INBOX' AND f.concept = 'sunset-protocol-handover' AND f.uid > $after
  WITH m, f ORDER BY f.mailbox, f.folder, f.concept, f.uid LIMIT $limit
  RETURN m, f.uid AS uid
  UNION ALL
  MATCH (m)-[f:FILED_UNDER]->()
  USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
  WHERE f.mailbox = $agent AND f.folder = 'ARCHIVE' AND f.concept = 'sunset-protocol-handover' AND f.uid > $after
  WITH m, f ORDER BY f.mailbox, f.folder, f.concept, f.uid LIMIT $limit
  RETURN m, f.uid AS uid
}
WITH m, uid ORDER BY uid LIMIT $limit
MATCH (m)-[:ORIGINATES_IN]->(s:Session)
OPTIONAL MATCH (m)-[a:ACCEPTED_BY]->(by:Session)
RETURN uid, m.id AS id, m.tags AS tags, s.id AS session, by IS NULL AS pending,
  by.id AS acceptedBy, a.acceptedAt.epochMillis AS acceptedAt
ORDER BY uid
