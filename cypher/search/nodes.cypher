// The nodes that a full-text index finds among all that was committed, the best first. Parameters: index, words (the query), limit. Rows: id.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL db.index.fulltext.queryNodes($index, $words, {limit: $limit}) YIELD node AS x, score
WITH x, score, coalesce(x.handle, x.id, 'concept:' + x.name) AS id ORDER BY score DESC, id
RETURN id
