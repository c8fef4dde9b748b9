// Opens a session of an agent whose mailbox is locked. Parameters: id, agent, externalId, startedAt. Rows: id.
MATCH (a:AgentIdentity {handle: $agent})
CREATE (s:Session {id: $id, agent: $agent, externalId: $externalId, startedAt: $startedAt})-[:HELD_BY]->(a)
RETURN s.id AS id
