// Takes the subjects of messages that are to go out of their locked threads, unless another member that stays has the same. Parameters: ids. Rows: thread (whose subject is blank now).
UNWIND $ids AS id
MATCH (m:Message {id: id})-[:PART_OF_THREAD]->(t:Thread)
WHERE m.subject = t.subject AND t.subject <> ''
WITH DISTINCT t
WHERE NOT EXISTS {
  MATCH (x)-[q:PART_OF_THREAD]->()
  USING INDEX SEEK q:PART_OF_THREAD(thread, messageId)
  WHERE q.thread = t.id AND q.messageId > '' AND NOT q.messageId IN $ids AND x.subject = t.subject
}
SET t.subject = ''
RETURN t.id AS thread
