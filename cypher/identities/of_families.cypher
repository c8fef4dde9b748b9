// Who is of these model families? Parameters: families. Rows: family, handle; agents that are not retired, by handle.
MATCH (a:AgentIdentity) WHERE a.family IN $families AND a.kind = 'AGENT' AND a.status <> 'RETIRED'
RETURN a.family AS family, a.handle AS handle
ORDER BY family, handle
