// The messages below an id, the newest first, and whether each must stay. Ids sort by date. Parameters: before (a message id), cutoff (a time), exceptTags, window (messages to scan). Rows: id, entries (how many mailboxes hold it), kept (younger than cutoff, a tombstone already, or never deleted).
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id < $before
WITH m ORDER BY m.id DESC LIMIT $window
RETURN m.id AS id, COUNT { (m)-[:DELIVERED_TO]->() } AS entries,
  m.expungedAt IS NOT NULL OR m.createdAt >= $cutoff
  OR EXISTS { (m)-[:CARRIES_TASK]->(t) WHERE t.open IS NOT NULL }
  OR EXISTS { (m)-[:TAGGED_CONCEPT]->(c) WHERE c.name IN $exceptTags }
  OR EXISTS { (m)-[d:DELIVERED_TO]->() WHERE d.pending OR any(tag IN d.tags WHERE tag IN $exceptTags) } AS kept
ORDER BY id DESC
