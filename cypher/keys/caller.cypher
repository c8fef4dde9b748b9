// Whose key is this? Parameters: digest. Rows: handle, kind, status, scopes, lastSeenAt; none when it is unknown or revoked.
MATCH (c:Credential {digest: $digest})-[:ISSUED_TO]->(a:AgentIdentity)
WHERE c.revokedAt IS NULL
RETURN a.handle AS handle, a.kind AS kind, a.status AS status, c.scopes AS scopes, a.lastSeenAt.epochMillis AS lastSeenAt
