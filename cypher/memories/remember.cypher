// Keeps a memory, under its agent's mailbox lock. Parameters: agent, at, concepts (sorted), properties, by (of REMEMBERED_BY), session (null: none). Rows: id.
MATCH (a:AgentIdentity {handle: $agent})
CALL () {
  UNWIND $concepts AS name
  MERGE (c:Concept {name: name}) ON CREATE SET c.createdAt = $at
  RETURN count(*) AS concepts
}
CREATE (m:Memory) SET m = $properties
CREATE (m)-[by:REMEMBERED_BY]->(a) SET by = $by
WITH m
CALL (m) {
  UNWIND $concepts AS name
  MATCH (c:Concept {name: name})
  CREATE (m)-[:TAGGED_CONCEPT {agent: $agent, concept: name}]->(c)
  RETURN count(*) AS tagged
}
CALL (m) {
  MATCH (s:Session {id: $session})
  CREATE (m)-[:RECORDED_IN]->(s)
  RETURN count(*) AS recorded
}
RETURN m.id AS id
