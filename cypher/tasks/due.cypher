// Open tasks whose time is over, those due longest first. Parameters: now, limit. Rows: id.
MATCH (t:Task)
USING INDEX SEEK t:Task(open, expiresAt)
WHERE t.open = true AND t.expiresAt <= $now
WITH t ORDER BY t.open, t.expiresAt LIMIT $limit
RETURN t.id AS id
