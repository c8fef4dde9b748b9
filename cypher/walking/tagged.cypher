// What a sender tagged with a concept, newest first. Parameters: sender, concept, beforeTime, beforeId, since (times, all said), window. Rows: id, at.
MATCH ()-[t:TAGGED_CONCEPT]->()
USING INDEX SEEK t:TAGGED_CONCEPT(sender, concept, createdAt, messageId)
WHERE t.sender = $sender AND t.concept = $concept
  AND t.createdAt <= $beforeTime AND t.createdAt >= $since AND t.messageId > ''
  AND NOT (t.createdAt = $beforeTime AND t.messageId >= $beforeId)
WITH t ORDER BY t.sender DESC, t.concept DESC, t.createdAt DESC, t.messageId DESC LIMIT $window
RETURN t.messageId AS id, t.createdAt.epochMillis AS at
