// Locks what a batch of sends touches, mailboxes in address order, then threads in id order, and tells what the rights of its senders depend on. Parameters: batch (one map, so that the plan does not depend on how long its lists are: addresses, of named mailboxes and senders; senders; everyone, whether a broadcast is among them; answered, the parents whose author or recipients are to be found, everyone's mailbox too where a sender answers a broadcast of his own; parents, the ids of messages replied to; threads, the ids of threads named; tags). Rows: one with boxes (address, kind, status, delivery and members where it is a role), blocks (pairs of a sender and who blocks him), replyPolicy, aliases (pairs of a tag and the concept it stands for).
CALL () {
  MATCH (b:Mailbox) WHERE b.address IN $batch.addresses
  RETURN b
  UNION
  MATCH (r:Role)<-[:HAS_ROLE]-(b:Mailbox) WHERE r.address IN $batch.addresses AND r.delivery = 'EACH'
  RETURN b
  UNION
  UNWIND CASE WHEN $batch.everyone OR EXISTS {
    MATCH (m:Message)-[:SENT_TO]->(:Broadcast)
    USING INDEX SEEK m:Message(id)
    WHERE m.id IN $batch.answered AND EXISTS { (m)-[s:SENT_BY]->() WHERE s.sender IN $batch.addresses }
  } THEN [1] ELSE [] END AS once
  MATCH (b:AgentIdentity) WHERE b.kind = 'AGENT' AND b.status = 'ACTIVE'
  RETURN b
  UNION
  MATCH (m:Message)-[:SENT_BY]->(b:Mailbox) WHERE m.id IN $batch.answered
  RETURN b
  UNION
  MATCH (m:Message)-[s:SENT_TO {kind: 'TO'}]->(b:Mailbox) WHERE m.id IN $batch.answered
  RETURN b
  UNION
  MATCH (m:Message)-[s:SENT_TO {kind: 'TO'}]->(r:Role {delivery: 'EACH'})<-[:HAS_ROLE]-(b:Mailbox)
  WHERE m.id IN $batch.answered
  RETURN b
  UNION
  MATCH (m:Memory)-[:REMEMBERED_BY]->(b:Mailbox) WHERE m.id IN $batch.answered
  RETURN b
}
WITH b ORDER BY b.address
SET b.lock = 1
WITH collect(b) AS boxes
CALL () {
  CALL () {
    MATCH (t:Thread) WHERE t.id IN $batch.threads
    RETURN t
    UNION
    MATCH (m:Message)-[:PART_OF_THREAD]->(t:Thread) WHERE m.id IN $batch.parents
    RETURN t
  }
  WITH t ORDER BY t.id
  SET t.lock = 1
  RETURN count(t) AS threads
}
CALL () {
  MATCH (s:AgentIdentity)-[:BLOCKED_BY]->(x:Mailbox) WHERE s.handle IN $batch.senders
  RETURN collect([s.handle, x.address]) AS blocks
}
CALL () {
  OPTIONAL MATCH (p:MailPolicy {name: 'mail'})
  RETURN p.replyPolicy AS replyPolicy
}
CALL () {
  MATCH (a:Concept)-[:ALIAS_OF]->(c:Concept)
  USING INDEX SEEK a:Concept(name)
  WHERE a.name IN $batch.tags
  RETURN collect([a.name, c.name]) AS aliases
}
RETURN [b IN boxes | {
    address: b.address, kind: b.kind, status: b.status, delivery: b.delivery,
    members: CASE WHEN b.delivery = 'EACH' THEN COLLECT { MATCH (b)<-[:HAS_ROLE]-(a) RETURN a.address } ELSE [] END
  }] AS boxes, blocks, replyPolicy, aliases
