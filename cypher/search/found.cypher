// Of what a full-text query finds among all that was committed, in the order of its own scores, the newest messages that fit; where it finds more than the limit and is not counting, those with the least score are left to another query. Parameters: words (the query, with the reader's rights in it), limit, most (ids to return), before (an id), mailbox (of the reader), filtered (whether the entry is needed), counting, and the filters since, until, tags (each as the names it may be under), thread, unread (null: any). Rows: one with found (one above the limit at most), least (score), lowest (the oldest of them below before), fitting, ids (newest first).
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes('message_text', $words, {limit: $limit + 1}) YIELD node AS m, score
WITH collect({m: m, score: score}) AS hits, min(score) AS least
WITH size(hits) AS found, least,
  CASE WHEN size(hits) > $limit AND NOT $counting THEN [hit IN hits WHERE hit.score > least] ELSE hits END AS hits
CALL (hits) {
  UNWIND hits AS hit
  WITH hit.m AS m
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
    AND ($tags IS NULL OR all(names IN $tags WHERE any(name IN names WHERE name IN coalesce(d.tags, m.tags))))
    AND ($thread IS NULL OR EXISTS { (m)-[p:PART_OF_THREAD]->() WHERE p.thread = $thread }) AS fits
  ORDER BY id DESC
  RETURN min(CASE WHEN id < $before THEN id END) AS lowest, collect(CASE WHEN fits THEN id END) AS ids
}
RETURN found, least, lowest, size(ids) AS fitting, ids[..$most] AS ids
