// Takes a message's text out of the graph, under the locks of retracting/lock: its own, and its thread's subject unless another member has the same, and what automatic tagging found in it. Parameters: id, at. Rows: one with thread.
MATCH (m:Message {id: $id})-[p:PART_OF_THREAD]->(t:Thread)
WITH m, t, t.subject = m.subject AND NOT EXISTS {
  MATCH (x)-[q:PART_OF_THREAD]->()
  USING INDEX SEEK q:PART_OF_THREAD(thread, messageId)
  WHERE q.thread = t.id AND q.messageId > '' AND q.messageId <> m.id AND x.subject = t.subject
} AS copied
SET m.subject = '', m.bodyText = '', m.readers = [], m.retractedAt = $at,
    t.subject = CASE WHEN copied THEN '' ELSE t.subject END
WITH m, t
CALL (m) {
  MATCH (m)-[a:TAGGED_CONCEPT]->()
  WHERE a.source = 'AUTO'
  DELETE a
  RETURN count(*) AS untagged
}
RETURN t.id AS thread
