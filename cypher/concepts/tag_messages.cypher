// Tags messages with what their text names, beside what their senders tagged them with; one that was retracted meanwhile gets nothing. Parameters: named (a list of {message, concepts}). Rows: tagged.
UNWIND $named AS n
MATCH (m:Message {id: n.message})
REMOVE m.lock
WITH m, n
WHERE m.retractedAt IS NULL
UNWIND n.concepts AS name
MATCH (c:Concept {name: name})
WHERE c.registeredAt IS NOT NULL AND NOT EXISTS { (m)-[:TAGGED_CONCEPT]->(c) }
CREATE (m)-[:TAGGED_CONCEPT {source: 'AUTO'}]->(c)
RETURN count(*) AS tagged
