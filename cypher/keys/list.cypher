// Which keys were issued to an identity? Parameters: handle. Rows: id, scopes, createdAt, revokedAt; oldest first.
MATCH (c:Credential)-[:ISSUED_TO]->(a:AgentIdentity {handle: $handle})
RETURN c.id AS id, c.scopes AS scopes, c.createdAt AS createdAt, c.revokedAt AS revokedAt
ORDER BY id
