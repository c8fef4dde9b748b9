// Whose key is this, and which mailboxes may he read: his own, those of the queues he is a member of, and those he was granted, save where he is blocked? Parameters: digest. Rows: id (of the key), handle, kind, status, scopes, lastSeenAt, mailboxes; none when it is unknown or revoked.
MATCH (c:Credential {digest: $digest})-[:ISSUED_TO]->(a:AgentIdentity)
WHERE c.revokedAt IS NULL
RETURN c.id AS id, a.handle AS handle, a.kind AS kind, a.status AS status, c.scopes AS scopes, a.lastSeenAt.epochMillis AS lastSeenAt,
  [a.address]
  + COLLECT { MATCH (a)-[:HAS_ROLE]->(q:Role {delivery: 'QUEUE'}) WHERE NOT EXISTS { (a)-[:BLOCKED_BY]->(q) } RETURN q.address }
  + COLLECT {
    MATCH (a)-[:CAN_READ_INBOX_OF]->(g:Mailbox)
    WHERE NOT EXISTS { (a)-[:BLOCKED_BY]->(g) } AND NOT EXISTS { (a)-[:HAS_ROLE]->(g) WHERE g.delivery = 'QUEUE' }
    RETURN g.address
  } AS mailboxes
