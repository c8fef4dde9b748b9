// Who of these pairs may write to whom where only contacts may: who was allowed to, and who was written to by the other first, himself or in a queue that he serves. Parameters: pairs (lists of sender and target). Rows: sender, target.
UNWIND $pairs AS pair
MATCH (a:AgentIdentity {handle: pair[0]})
WITH a, pair[1] AS target, [a.address] + COLLECT {
  MATCH (a)-[:HAS_ROLE]->(q:Role {delivery: 'QUEUE'}) WHERE NOT EXISTS { (a)-[:BLOCKED_BY]->(q) } RETURN q.address
} AS held
WHERE EXISTS { (a)-[:CAN_REPLY_TO]->(:Mailbox {address: target}) }
  OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, sender, uid)
    WHERE d.mailbox IN held AND d.sender = target AND d.uid > 0
  }
RETURN a.handle AS sender, target
