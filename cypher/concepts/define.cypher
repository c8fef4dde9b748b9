// Registers a concept that is held, with its aliases and broader concepts in place of those it had. Parameters: name, at, description (null: as it was), aliases, broader (null: as they were). Rows: name.
MATCH (o:Ontology {name: 'ontology'})
SET o.version = o.version + 1
WITH o
MATCH (c:Concept {name: $name})
SET c.registeredAt = coalesce(c.registeredAt, $at),
    c.description = CASE WHEN $description IS NULL THEN c.description WHEN $description = '' THEN null ELSE $description END
WITH c
CALL (c) {
  MATCH (a:Concept)-[r:ALIAS_OF]->(c)
  WHERE $aliases IS NOT NULL AND NOT a.name IN $aliases
  DELETE r
  RETURN count(*) AS gone
}
CALL (c) {
  UNWIND $aliases AS name
  MATCH (a:Concept {name: name})
  MERGE (a)-[:ALIAS_OF]->(c)
  RETURN count(*) AS aliases
}
CALL (c) {
  MATCH (c)-[r:BROADER]->(b:Concept)
  WHERE $broader IS NOT NULL AND NOT b.name IN $broader
  DELETE r
  RETURN count(*) AS narrowed
}
CALL (c) {
  UNWIND $broader AS name
  MATCH (b:Concept {name: name})
  MERGE (c)-[:BROADER]->(b)
  RETURN count(*) AS broadened
}
RETURN c.name AS name
