// The messages of a thread, oldest first. Parameters: thread, after (a message id), window. Rows: id, at.
MATCH (m)-[p:PART_OF_THREAD]->()
USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
WHERE p.thread = $thread AND p.messageId > $after
WITH m, p ORDER BY p.thread, p.messageId LIMIT $window
RETURN p.messageId AS id, m.createdAt.epochMillis AS at
