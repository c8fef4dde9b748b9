// The tasks of messages already found to be the reader's to see. Parameters: ids. Rows: id, message, state, originator, assignee, expiresAt, createdAt, updatedAt, version.
UNWIND $ids AS message
MATCH (t:Task {message: message})
RETURN t.id AS id, t.message AS message, t.state AS state, t.originator AS originator, t.assignee AS assignee,
  t.expiresAt.epochMillis AS expiresAt, t.createdAt.epochMillis AS createdAt, t.updatedAt.epochMillis AS updatedAt,
  t.version AS version
