// A session gives back handovers that it accepted, under its agent's mailbox lock: they are pending again. Parameters: agent, session, messages. Rows: state.
MATCH (b:Mailbox {address: $agent})
WITH b, b.modseq AS modseq
SET b.modseq = modseq + size($messages)
WITH b, modseq
UNWIND range(0, size($messages) - 1) AS i
MATCH (s:Session {id: $session})<-[a:ACCEPTED_BY]-(m:Message {id: $messages[i]})-[d:DELIVERED_TO]->(b)
DELETE a
SET d.pending = true, d.modseq = modseq + i + 1
RETURN DISTINCT b.modseq AS state
