// Blocks an identity from a mailbox; asked again, the first time stays. Parameters: agent, mailbox, at. Rows: agent, mailbox, since; none when one of the two is not there.
MATCH (a:AgentIdentity {handle: $agent})
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
MERGE (a)-[r:BLOCKED_BY]->(b) ON CREATE SET r.since = $at
RETURN a.handle AS agent, b.address AS mailbox, r.since.epochMillis AS since
