// Locks tasks in id order, and says how each stands. Parameters: ids. Rows: offered, id, message, state, originator, assignee, expiresAt, createdAt, updatedAt, version.
MATCH (t:Task) WHERE t.id IN $ids
WITH t ORDER BY t.id
SET t.lock = 1
WITH t
RETURN t.offered AS offered, t.id AS id, t.message AS message, t.state AS state, t.originator AS originator,
  t.assignee AS assignee, t.expiresAt.epochMillis AS expiresAt, t.createdAt.epochMillis AS createdAt,
  t.updatedAt.epochMillis AS updatedAt, t.version AS version
