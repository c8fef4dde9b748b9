// Which schema changes are recorded? No parameters. Rows: version, name, checksum; lowest version first.
MATCH (s:SchemaMigration)
RETURN s.version AS version, s.name AS name, s.checksum AS checksum
ORDER BY version
