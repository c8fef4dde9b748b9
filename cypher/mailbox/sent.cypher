// The newest messages of a sender that fit, and where the scan stopped. Parameters: sender, beforeTime, beforeId, since (times, all said), window (messages to scan), counting, and the filters to, tags (lists of names, one of each list), thread (null: any). Rows: one with scanned, lastTime, lastId, fitting, messages.
MATCH (m)-[s:SENT_BY]->()
USING INDEX SEEK s:SENT_BY(sender, createdAt, messageId)
WHERE s.sender = $sender AND s.createdAt <= $beforeTime AND s.createdAt >= $since AND s.messageId > ''
  AND (s.createdAt < $beforeTime OR s.messageId < $beforeId)
WITH m, s ORDER BY s.sender DESC, s.createdAt DESC, s.messageId DESC LIMIT $window
WITH m, s.createdAt AS createdAt, s.messageId AS messageId
WITH m, createdAt, messageId,
  ($tags IS NULL OR all(names IN $tags WHERE any(name IN names WHERE name IN m.tags)))
  AND ($to IS NULL OR EXISTS { (m)-[x:SENT_TO]->() WHERE x.address = $to })
  AND ($thread IS NULL OR EXISTS { (m)-[p:PART_OF_THREAD]->() WHERE p.thread = $thread }) AS fits
WITH createdAt, messageId, fits,
  CASE WHEN fits AND NOT $counting THEN
    m {.id, .subject, .createdAt, .priority, .expectsReply, .retractedAt, .tags, .provenance}
  END AS message,
  CASE WHEN fits AND NOT $counting THEN head([(m)-[p:PART_OF_THREAD]->() | p.thread]) END AS thread
RETURN count(*) AS scanned, last(collect(createdAt)).epochMillis AS lastTime, last(collect(messageId)) AS lastId,
  count(CASE WHEN fits THEN 1 END) AS fitting,
  collect(CASE WHEN message IS NOT NULL THEN {
    sender: $sender, thread: thread,
    message: message {
      .id, .subject, .priority, .expectsReply, .tags, .provenance,
      createdAt: message.createdAt.epochMillis, retracted: message.retractedAt IS NOT NULL
    }
  } END) AS messages
