// Who of these pairs may write to whom where only contacts may: who was allowed to, and who was written to by the other first. Parameters: pairs (lists of sender and target). Rows: sender, target.
UNWIND $pairs AS pair
WITH pair[0] AS sender, pair[1] AS target
WHERE EXISTS { (:AgentIdentity {handle: sender})-[:CAN_REPLY_TO]->(:Mailbox {address: target}) }
  OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, sender, uid)
    WHERE d.mailbox = sender AND d.sender = target AND d.uid > 0
  }
RETURN sender, target
