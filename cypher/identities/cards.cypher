// Who are these? Parameters: handles. Rows: handle, displayName, kind, family, status, imported, createdAt, lastSeenAt; none for an unknown handle.
MATCH (a:AgentIdentity) WHERE a.handle IN $handles
RETURN a.handle AS handle, a.displayName AS displayName, a.kind AS kind, a.family AS family, a.status AS status,
  coalesce(a.imported, false) AS imported, a.createdAt.epochMillis AS createdAt,
  a.lastSeenAt.epochMillis AS lastSeenAt
