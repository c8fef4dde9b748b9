// Locks what a batch of sends touches, mailboxes in address order, then threads in id order. Parameters: addresses (named mailboxes and senders), everyone (a broadcast is among them), answered (parents whose author or recipients are to be found), parents (message ids replied to), threads (thread ids named). Rows: address, kind, status, one for each locked mailbox.
CALL () {
  MATCH (b:Mailbox) WHERE b.address IN $addresses
  RETURN b
  UNION
  UNWIND CASE WHEN $everyone THEN [1] ELSE [] END AS once
  MATCH (b:AgentIdentity) WHERE b.kind = 'AGENT' AND b.status = 'ACTIVE'
  RETURN b
  UNION
  MATCH (m:Message)-[:SENT_BY]->(b:Mailbox) WHERE m.id IN $answered
  RETURN b
  UNION
  MATCH (m:Message)-[s:SENT_TO {kind: 'TO'}]->(b:Mailbox) WHERE m.id IN $answered
  RETURN b
  UNION
  MATCH (m:Memory)-[:REMEMBERED_BY]->(b:Mailbox) WHERE m.id IN $answered
  RETURN b
}
WITH b ORDER BY b.address
SET b.lock = 1
WITH collect(b) AS boxes
CALL () {
  CALL () {
    MATCH (t:Thread) WHERE t.id IN $threads
    RETURN t
    UNION
    MATCH (m:Message)-[:PART_OF_THREAD]->(t:Thread) WHERE m.id IN $parents
    RETURN t
  }
  WITH t ORDER BY t.id
  SET t.lock = 1
  RETURN count(t) AS threads
}
UNWIND boxes AS b
RETURN b.address AS address, b.kind AS kind, b.status AS status
