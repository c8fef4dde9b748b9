// Counts messages out of their locked threads, and deletes threads that have no member left, not even a tombstone. Parameters: threads (a list of {id, gone}, how many messages each lost). Rows: deleted (how many threads).
UNWIND $threads AS t
MATCH (n:Thread {id: t.id})
SET n.messageCount = n.messageCount - t.gone
WITH n WHERE NOT EXISTS { (n)<-[:PART_OF_THREAD]-() }
DETACH DELETE n
RETURN count(*) AS deleted
