// The tasks of these ids whose messages the reader may see. Parameters: ids, reader, mailboxes, everything. Rows: id, message, state, originator, assignee, expiresAt, createdAt, updatedAt, version.
UNWIND $ids AS id
MATCH (t:Task {id: id})
WHERE $everything OR t.originator = $reader OR EXISTS {
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox IN $mailboxes AND d.messageId = t.message
}
RETURN t.id AS id, t.message AS message, t.state AS state, t.originator AS originator, t.assignee AS assignee,
  t.expiresAt.epochMillis AS expiresAt, t.createdAt.epochMillis AS createdAt, t.updatedAt.epochMillis AS updatedAt,
  t.version AS version
