// Locks every mailbox that holds a message and its sender's, in address order, then its thread. Parameters: id. Rows: one with retracted.
MATCH (m:Message {id: $id})
CALL (m) {
  MATCH (m)-[:DELIVERED_TO]->(b:Mailbox)
  RETURN b
  UNION
  MATCH (m)-[:SENT_BY]->(b:Mailbox)
  RETURN b
}
WITH m, b ORDER BY b.address
SET b.lock = 1
WITH m, count(b) AS boxes
MATCH (m)-[:PART_OF_THREAD]->(t:Thread)
SET t.lock = 1
RETURN m.retractedAt IS NOT NULL AS retracted
