// Deletes messages, or tombstones, with whatever relationships they have and the ended tasks that they carried. Parameters: ids. Rows: removed (how many).
CALL () {
  UNWIND $ids AS id
  MATCH (:Message {id: id})-[:CARRIES_TASK]->(t)
  OPTIONAL MATCH (t)-[:HAS_EVENT]->(e)
  DETACH DELETE e, t
  RETURN count(*) AS tasks
}
UNWIND $ids AS id
MATCH (m:Message {id: id})
DETACH DELETE m
RETURN count(*) AS removed
