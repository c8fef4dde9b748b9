// Of what a full-text query finds, the newest messages that fit. Parameters: words (the query, with the reader's rights in it), limit (find no more), most (ids to return), before (an id), mailbox (of the reader), filtered (whether any of the filters is said), and the filters since, until, tags, thread, unread (null: any). Rows: one with found, lowest (the oldest of them below before), fitting, ids (newest first).
CALL db.index.fulltext.queryNodes('message_text', $words, {limit: $limit}) YIELD node AS m
WITH m, m.id AS id
CALL (id) {
  UNWIND CASE WHEN $filtered THEN [id] ELSE [] END AS wanted
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox = $mailbox AND d.messageId = wanted
  RETURN head(collect(d)) AS d
}
WITH id,
  id < $before
  AND ($since IS NULL OR m.createdAt >= $since)
  AND ($until IS NULL OR m.createdAt <= $until)
  AND ($unread IS NULL OR d IS NOT NULL AND coalesce(d.unread, false) = $unread)
  AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN coalesce(d.tags, m.tags)))
  AND ($thread IS NULL OR EXISTS { (m)-[p:PART_OF_THREAD]->() WHERE p.thread = $thread }) AS fits
ORDER BY id DESC
WITH count(*) AS found, min(CASE WHEN id < $before THEN id END) AS lowest, collect(CASE WHEN fits THEN id END) AS ids
RETURN found, lowest, size(ids) AS fitting, ids[..$most] AS ids
