// Ends a membership; what the member had claimed in the queue is free when the lease ends. Parameters: role, agent. Rows: role; none when there is no such role.
MATCH (r:Role {address: $role})
SET r.lock = 1
WITH r
OPTIONAL MATCH (:AgentIdentity {handle: $agent})-[h:HAS_ROLE]->(r)
DELETE h
RETURN DISTINCT r.address AS role
