// What an identity sent, newest first. Parameters: sender, beforeTime, beforeId, since (times, all said), window. Rows: id, at.
MATCH ()-[s:SENT_BY]->()
USING INDEX SEEK s:SENT_BY(sender, createdAt, messageId)
WHERE s.sender = $sender AND s.createdAt <= $beforeTime AND s.createdAt >= $since AND s.messageId > ''
  AND NOT (s.createdAt = $beforeTime AND s.messageId >= $beforeId)
WITH s ORDER BY s.sender DESC, s.createdAt DESC, s.messageId DESC LIMIT $window
RETURN s.messageId AS id, s.createdAt.epochMillis AS at
