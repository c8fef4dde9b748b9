// Makes tombstones of messages that something hangs on: their place in the thread stays, and nothing that was said, nor the ended tasks that they carried. Parameters: ids, at. Rows: id.
CALL () {
  UNWIND $ids AS id
  MATCH (:Message {id: id})-[:CARRIES_TASK]->(t)
  OPTIONAL MATCH (t)-[:HAS_EVENT]->(e)
  DETACH DELETE e, t
  RETURN count(*) AS tasks
}
UNWIND $ids AS id
MATCH (m:Message {id: id})
SET m = {id: id, createdAt: m.createdAt, missingParent: m.missingParent, expungedAt: $at}
WITH m, id
CALL (m) {
  MATCH (m)-[r]->(x)
  WHERE NOT type(r) IN ['PART_OF_THREAD', 'IN_REPLY_TO'] OR x:Memory
  DELETE r
  RETURN count(*) AS cut
}
RETURN id
