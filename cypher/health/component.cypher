// What database answers? No parameters. Rows: name, version.
CALL dbms.components() YIELD name, versions
WITH name, versions WHERE name = 'Neo4j Kernel'
RETURN 'Neo4j' AS name, versions[0] AS version
