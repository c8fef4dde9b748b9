// Issues a key to an identity. Parameters: id, handle, digest, scopes, at. Rows: handle; none when the identity is unknown.
MATCH (a:AgentIdentity {handle: $handle})
CREATE (c:Credential {id: $id, digest: $digest, scopes: $scopes, createdAt: $at})-[:ISSUED_TO]->(a)
RETURN a.handle AS handle
