// How many messages are there below an id? Parameters: before (a message id). Rows: messages.
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id < $before
RETURN count(m) AS messages
