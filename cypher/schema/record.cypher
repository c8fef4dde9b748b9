// Records one applied schema change. Parameters: version, name, checksum, at. Rows: version.
MERGE (s:SchemaMigration {version: $version})
ON CREATE SET s.name = $name, s.checksum = $checksum, s.appliedAt = $at
RETURN s.version AS version
