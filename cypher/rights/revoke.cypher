// Takes a permission back. Parameters: agent, mailbox, permission. Rows: revoked (how many there were).
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH b
OPTIONAL MATCH (:AgentIdentity {handle: $agent})-[r:CAN_READ_INBOX_OF|CAN_REPLY_TO]->(b) WHERE type(r) = $permission
DELETE r
RETURN count(r) AS revoked
