// Which session is meant by its own id, or by the one that the reader's harness gave it? Parameters: name, reader. Rows: one; session is null when there is none.
OPTIONAL MATCH (o:Session) WHERE o.agent = $reader AND o.externalId = $name
OPTIONAL MATCH (p:Session {id: $name})
RETURN coalesce(o.id, p.id) AS session
