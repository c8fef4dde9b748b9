// Who holds each role? Parameters: addresses (of roles). Rows: role, handle; by handle.
MATCH (r:Role)<-[:HAS_ROLE]-(a:AgentIdentity) WHERE r.address IN $addresses
RETURN r.address AS role, a.handle AS handle
ORDER BY role, handle
