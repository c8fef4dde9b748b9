// Schema 6: what one sent, by tag and by recipient, and the operators' ontology; edges from before get what the indexes sort by, in batches that begin after the id $after.
CREATE CONSTRAINT ontology_name IF NOT EXISTS FOR (n:Ontology) REQUIRE n.name IS UNIQUE;
CREATE INDEX concept_registered IF NOT EXISTS FOR (n:Concept) ON (n.registeredAt);
CREATE INDEX tagged_concept_sent IF NOT EXISTS
  FOR ()-[r:TAGGED_CONCEPT]-() ON (r.sender, r.concept, r.createdAt, r.messageId);
CREATE INDEX tagged_concept_memory IF NOT EXISTS FOR ()-[r:TAGGED_CONCEPT]-() ON (r.agent, r.concept);
CREATE INDEX sent_to_history IF NOT EXISTS FOR ()-[r:SENT_TO]-() ON (r.sender, r.address, r.createdAt, r.messageId);
MERGE (o:Ontology {name: 'ontology'}) ON CREATE SET o.version = 0;
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id > $after
WITH m ORDER BY m.id LIMIT 1000
MATCH (m)-[s:SENT_BY]->()
CALL (m, s) {
  MATCH (m)-[t:SENT_TO]->(r)
  SET t.sender = s.sender, t.address = r.address, t.createdAt = s.createdAt, t.messageId = m.id
  RETURN count(*) AS addressed
}
CALL (m, s) {
  MATCH (m)-[t:TAGGED_CONCEPT]->(c:Concept)
  WHERE t.source IS NULL
  SET t.sender = s.sender, t.concept = c.name, t.createdAt = s.createdAt, t.messageId = m.id
  RETURN count(*) AS tagged
}
RETURN max(m.id) AS last;
MATCH (m:Memory)
USING INDEX SEEK m:Memory(id)
WHERE m.id > $after
WITH m ORDER BY m.id LIMIT 1000
MATCH (m)-[r:REMEMBERED_BY]->()
CALL (m, r) {
  MATCH (m)-[t:TAGGED_CONCEPT]->(c:Concept)
  SET t.agent = r.agent, t.concept = c.name
  RETURN count(*) AS tagged
}
RETURN max(m.id) AS last;
