// Which keys were issued to an identity? Parameters: handle. Rows: id, scopes, createdAt, revokedAt; oldest first.
MATCH (c:Credential)-[:ISSUED_TO]->(a:AgentIdentity {handle: $handle})
RETURN c.id AS id, c.scopes AS scopes, c.createdAt.epochMillis AS createdAt,
  c.revokedAt.epochMillis AS revokedAt
ORDER BY id
