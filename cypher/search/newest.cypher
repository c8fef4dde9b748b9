// The newest message of all below an id, where a search may begin. Parameters: before (an id). Rows: one with id, null when there is none.
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id < $before
WITH m.id AS id ORDER BY m.id DESC LIMIT 1
RETURN max(id) AS id
