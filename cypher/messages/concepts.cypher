// What messages already found to be the reader's to see are tagged with, by their senders and by automatic tagging. Parameters: ids. Rows: id, source, name, description, registered, createdAt; the sender's before others, each by name.
UNWIND $ids AS id
MATCH (m:Message {id: id})-[t:TAGGED_CONCEPT]->(c:Concept)
WHERE t.source IS NULL OR m.retractedAt IS NULL
RETURN id, coalesce(t.source, 'SENDER') AS source, c.name AS name, c.description AS description,
  c.registeredAt IS NOT NULL AS registered, c.createdAt.epochMillis AS createdAt
ORDER BY id, source DESC, name
