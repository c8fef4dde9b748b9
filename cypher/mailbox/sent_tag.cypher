// The newest messages of a sender with one of these names among their tags, and of those the ones that fit, and where the scan stopped. Parameters: sender, beforeTime, beforeId, since (times, all said), window (messages to scan, of each name too), counting, concepts (the names), and the filters to, tags (lists of names, one of each list), thread (null: any). Rows: one with scanned, lastTime, lastId, fitting, messages.
CALL () {
  UNWIND $concepts AS concept
  CALL (concept) {
    MATCH (m)-[t:TAGGED_CONCEPT]->()
    USING INDEX SEEK t:TAGGED_CONCEPT(sender, concept, createdAt, messageId)
    WHERE t.sender = $sender AND t.concept = concept
      AND t.createdAt <= $beforeTime AND t.createdAt >= $since AND t.messageId > ''
      AND (t.createdAt < $beforeTime OR t.messageId < $beforeId)
    WITH m, t ORDER BY t.sender DESC, t.concept DESC, t.createdAt DESC, t.messageId DESC LIMIT $window
    RETURN m, t.createdAt AS createdAt, t.messageId AS messageId
  }
  RETURN DISTINCT m, createdAt, messageId ORDER BY createdAt DESC, messageId DESC LIMIT $window
}
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
