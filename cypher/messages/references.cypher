// What messages already found to be the reader's to see refer to. Parameters: ids. Rows: id, type (of the relationship), target (its id or key), label.
UNWIND $ids AS id
MATCH (m:Message {id: id})-[r:ORIGINATES_IN|RELATED_SESSION|REFERENCES_TICKET|REFERENCES_MEMORY|IN_REPLY_TO]->(x)
RETURN m.id AS id, type(r) AS type, coalesce(x.id, x.key) AS target, head(labels(x)) AS label
ORDER BY id, type, target
