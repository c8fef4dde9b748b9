// Holds the schema lock until the transaction ends. No parameters. Rows: name.
MERGE (l:SchemaLock {name: 'schema'})
SET l.lock = 1
RETURN l.name AS name
