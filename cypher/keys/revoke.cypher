// Revokes a key; the first revocation stays. Parameters: id, at. Rows: id, handle; none when there is no such key.
MATCH (c:Credential {id: $id})-[:ISSUED_TO]->(a:AgentIdentity)
SET c.revokedAt = coalesce(c.revokedAt, $at)
RETURN c.id AS id, a.handle AS handle
