// Unclaimed tasks, newest first, and which of them the reader may claim: those of others that came to him or to a queue he works on. Parameters: reader, mailboxes, before (a task id), window. Rows: claimable, id, message, state, originator, assignee, expiresAt, createdAt, updatedAt, version.
MATCH (t:Task)
USING INDEX SEEK t:Task(unclaimed, id)
WHERE t.unclaimed = true AND t.id < $before
WITH t ORDER BY t.unclaimed DESC, t.id DESC LIMIT $window
RETURN t.originator <> $reader AND EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = t.message AND (d.mailbox = $reader OR EXISTS {
      (:AgentIdentity {handle: $reader})-[:HAS_ROLE]->(:Mailbox {address: d.mailbox})
    })
  } AS claimable,
  t.id AS id, t.message AS message, t.state AS state, t.originator AS originator, t.assignee AS assignee,
  t.expiresAt.epochMillis AS expiresAt, t.createdAt.epochMillis AS createdAt, t.updatedAt.epochMillis AS updatedAt,
  t.version AS version
