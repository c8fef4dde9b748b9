// Notes that an identity was here. Parameters: handle, at. Rows: handle.
MATCH (a:AgentIdentity {handle: $handle})
SET a.lastSeenAt = $at
RETURN a.handle AS handle
