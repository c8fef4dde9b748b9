// Deletes messages, or tombstones, and whatever relationships they have. Parameters: ids. Rows: removed (how many).
UNWIND $ids AS id
MATCH (m:Message {id: id})
DETACH DELETE m
RETURN count(*) AS removed
