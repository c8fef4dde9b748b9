// Which handovers has a session accepted? Parameters: agent, session. Rows: id.
MATCH (m:Message)-[:ACCEPTED_BY]->(s:Session {id: $session})
WHERE s.agent = $agent
RETURN m.id AS id
