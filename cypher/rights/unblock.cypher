// Lifts a block. Parameters: agent, mailbox. Rows: lifted (how many there were).
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH b
OPTIONAL MATCH (:AgentIdentity {handle: $agent})-[r:BLOCKED_BY]->(b)
DELETE r
RETURN count(r) AS lifted
