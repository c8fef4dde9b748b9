// Makes an identity active, benched or retired, after the sends that are under way. Parameters: handle, status. Rows: handle; none for an unknown one.
MATCH (a:AgentIdentity {handle: $handle})
SET a.lock = 1, a.status = $status
RETURN a.handle AS handle
