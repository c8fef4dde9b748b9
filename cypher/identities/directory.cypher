// Which addresses could be meant? No parameters. Rows: handle of every identity that was registered here, at most 10,000.
MATCH (a:AgentIdentity) WHERE a.imported IS NULL
RETURN a.handle AS handle
LIMIT 10000
