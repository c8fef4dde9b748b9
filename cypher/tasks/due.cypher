// Open tasks whose time is over, those due longest first. Parameters: now, limit. Rows: id.
MATCH (t:Task)
USING INDEX SEEK t:Task(openUntil)
WHERE t.openUntil <= $now
WITH t ORDER BY t.openUntil LIMIT $limit
RETURN t.id AS id
