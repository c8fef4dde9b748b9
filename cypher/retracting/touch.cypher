// Makes a change of every mailbox entry of a message, under the locks of retracting/lock. Parameters: id. Rows: one with entries.
MATCH (m:Message {id: $id})-[d:DELIVERED_TO]->(b:Mailbox)
WITH d, b, b.modseq + 1 AS modseq
SET b.modseq = modseq, d.modseq = modseq
RETURN count(d) AS entries
