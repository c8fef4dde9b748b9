// Which tombstones does nothing hang on any more? Parameters: since (a time before all of them). Rows: id.
MATCH (m:Message)
USING INDEX SEEK m:Message(expungedAt)
WHERE m.expungedAt > $since AND NOT EXISTS { (m)<-[:IN_REPLY_TO|FORKED_FROM]-() }
RETURN m.id AS id
ORDER BY id
