// The newest messages of all, with their threads, for who sees everything. Parameters: before, since (ids of messages), window. Rows: source (empty), id, thread (null for a tombstone).
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id < $before AND m.id >= $since
WITH m ORDER BY m.id DESC LIMIT $window
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN '' AS source, p.messageId AS id, CASE WHEN m.expungedAt IS NULL THEN p.thread END AS thread
