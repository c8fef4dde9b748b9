// Makes an identity a member of a role; asked again, the first time stays. Parameters: role, agent, at. Rows: role; none when one of the two is not there.
MATCH (r:Role {address: $role})
MATCH (a:AgentIdentity {handle: $agent})
SET r.lock = 1
MERGE (a)-[h:HAS_ROLE]->(r) ON CREATE SET h.since = $at
RETURN r.address AS role
