// Locks a task whose message the reader may see, and says how it stands and what he is to it. Parameters: id, reader, mailboxes. Rows: received, human, offered, id, message, state, originator, assignee, expiresAt, createdAt, updatedAt, version.
MATCH (t:Task {id: $id})
WHERE t.originator = $reader OR EXISTS {
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox IN $mailboxes AND d.messageId = t.message
}
SET t.lock = 1
WITH t
RETURN EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = t.message AND (d.mailbox = $reader OR EXISTS {
      (:AgentIdentity {handle: $reader})-[:HAS_ROLE]->(:Mailbox {address: d.mailbox})
    })
  } AS received,
  EXISTS { (:AgentIdentity {handle: $reader, kind: 'HUMAN'}) } AS human,
  t.offered AS offered, t.id AS id, t.message AS message, t.state AS state, t.originator AS originator,
  t.assignee AS assignee, t.expiresAt.epochMillis AS expiresAt, t.createdAt.epochMillis AS createdAt,
  t.updatedAt.epochMillis AS updatedAt, t.version AS version
