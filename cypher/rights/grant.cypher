// Lets an identity read a mailbox or write to its owner; asked again, the first time stays. Parameters: agent, mailbox, permission (CAN_READ_INBOX_OF or CAN_REPLY_TO), at. Rows: agent, permission, mailbox, since; none when one of the two is not there.
MATCH (a:AgentIdentity {handle: $agent})
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH a, b
CALL (a, b) {
  WITH a, b WHERE $permission = 'CAN_READ_INBOX_OF'
  MERGE (a)-[r:CAN_READ_INBOX_OF]->(b) ON CREATE SET r.since = $at
  RETURN r
  UNION
  WITH a, b WHERE $permission = 'CAN_REPLY_TO'
  MERGE (a)-[r:CAN_REPLY_TO]->(b) ON CREATE SET r.since = $at
  RETURN r
}
RETURN a.handle AS agent, type(r) AS permission, b.address AS mailbox, r.since.epochMillis AS since
