// Locks a queue's mailbox and tells whether an identity works on it. Parameters: mailbox, agent. Rows: member; none when the mailbox is no queue's.
MATCH (r:Role {address: $mailbox}) WHERE r.delivery = 'QUEUE'
SET r.lock = 1
RETURN EXISTS { MATCH (a:AgentIdentity {handle: $agent})-[:HAS_ROLE]->(r) WHERE NOT EXISTS { (a)-[:BLOCKED_BY]->(r) } } AS member
