// Which of these handles are identities here? Parameters: handles. Rows: handle, kind.
UNWIND $handles AS handle
MATCH (a:AgentIdentity {handle: handle})
RETURN a.handle AS handle, a.kind AS kind
