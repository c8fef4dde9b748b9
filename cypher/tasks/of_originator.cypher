// The tasks of an originator in any of these states, newest first. Parameters: handle, states, before (a task id), limit. Rows: id, message, state, originator, assignee, expiresAt, createdAt, updatedAt, version.
UNWIND $states AS state
CALL (state) {
  MATCH (t:Task)
  USING INDEX SEEK t:Task(originator, state, id)
  WHERE t.originator = $handle AND t.state = state AND t.id < $before
  RETURN t ORDER BY t.originator DESC, t.state DESC, t.id DESC LIMIT $limit
}
WITH t ORDER BY t.id DESC LIMIT $limit
RETURN t.id AS id, t.message AS message, t.state AS state, t.originator AS originator, t.assignee AS assignee,
  t.expiresAt.epochMillis AS expiresAt, t.createdAt.epochMillis AS createdAt, t.updatedAt.epochMillis AS updatedAt,
  t.version AS version
