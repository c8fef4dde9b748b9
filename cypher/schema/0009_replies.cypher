// Schema 9: replies in the order of their ids, below a message or a memory; what one sent in that order too, as entries are, so that threads are listed by their newest message; edges from before get what the index sorts by, in batches that begin after the id $after.
CREATE INDEX in_reply_to_order IF NOT EXISTS FOR ()-[r:IN_REPLY_TO]-() ON (r.parent, r.messageId);
CREATE INDEX sent_by_order IF NOT EXISTS FOR ()-[r:SENT_BY]-() ON (r.sender, r.messageId);
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id > $after
WITH m ORDER BY m.id LIMIT 1000
CALL (m) {
  MATCH (m)-[r:IN_REPLY_TO]->(x)
  SET r.parent = x.id, r.messageId = m.id
  RETURN count(*) AS replies
}
RETURN max(m.id) AS last;
