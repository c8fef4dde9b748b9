// Schema 10: full text over memories, sessions, identities and concepts; memories from before get whose they are beside their text, in batches that begin after the id $after.
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS
  FOR (n:Memory) ON EACH [n.text, n.owner]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
CREATE FULLTEXT INDEX session_text IF NOT EXISTS
  FOR (n:Session) ON EACH [n.externalId, n.agent]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
CREATE FULLTEXT INDEX identity_text IF NOT EXISTS
  FOR (n:AgentIdentity) ON EACH [n.handle, n.displayName]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
CREATE FULLTEXT INDEX concept_text IF NOT EXISTS
  FOR (n:Concept) ON EACH [n.name, n.description]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
MATCH (m:Memory)
USING INDEX SEEK m:Memory(id)
WHERE m.id > $after
WITH m ORDER BY m.id LIMIT 1000
MATCH (m)-[r:REMEMBERED_BY]->()
SET m.owner = r.agent
RETURN max(m.id) AS last;
