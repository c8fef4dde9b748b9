// Which addresses could be meant? No parameters. Rows: address of every role, and of every identity that was registered here and is not retired; at most 10,000.
CALL () {
  MATCH (r:Role)
  RETURN r.address AS address
  UNION
  MATCH (a:AgentIdentity) WHERE a.imported IS NULL AND a.status <> 'RETIRED'
  RETURN a.handle AS address
}
RETURN address
LIMIT 10000
