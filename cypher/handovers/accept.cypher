// A session accepts handovers of its agent's locked mailbox; accepted means read. Parameters: agent, session, messages (pending ones, oldest first), at. Rows: state.
MATCH (b:Mailbox {address: $agent}), (s:Session {id: $session})
WITH b, s, b.modseq AS modseq
SET b.modseq = modseq + size($messages)
WITH b, s, modseq
UNWIND range(0, size($messages) - 1) AS i
MATCH (m:Message {id: $messages[i]})-[d:DELIVERED_TO]->(b)
CREATE (m)-[:ACCEPTED_BY {acceptedAt: $at}]->(s)
WITH b, d, modseq + i + 1 AS modseq,
  CASE WHEN d.unread AND d.folder = 'INBOX' THEN 1 ELSE 0 END AS wasUnread
SET d.readAt = coalesce(d.readAt, $at), d.modseq = modseq
REMOVE d.unread, d.pending
WITH b, collect(d) AS entries, sum(wasUnread) AS wereUnread
SET b.unreadCount = b.unreadCount - wereUnread
WITH b, entries
UNWIND entries AS d
OPTIONAL MATCH ()-[f:FILED_UNDER]->()
WHERE f.mailbox = $agent AND f.folder = d.folder AND f.concept IN d.tags AND f.uid = d.uid
REMOVE f.unread
RETURN DISTINCT b.modseq AS state
