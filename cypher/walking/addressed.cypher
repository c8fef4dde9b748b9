// What a sender sent to an address, newest first. Parameters: sender, address, beforeTime, beforeId, since (times, all said), window. Rows: id, at.
MATCH ()-[t:SENT_TO]->()
USING INDEX SEEK t:SENT_TO(sender, address, createdAt, messageId)
WHERE t.sender = $sender AND t.address = $address
  AND t.createdAt <= $beforeTime AND t.createdAt >= $since AND t.messageId > ''
  AND NOT (t.createdAt = $beforeTime AND t.messageId >= $beforeId)
WITH t ORDER BY t.sender DESC, t.address DESC, t.createdAt DESC, t.messageId DESC LIMIT $window
RETURN t.messageId AS id, t.createdAt.epochMillis AS at
