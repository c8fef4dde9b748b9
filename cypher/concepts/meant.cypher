// Which concept does each tag mean, and under which names may it be filed: its own, its aliases' and, where narrower is said, those of all concepts below it? Parameters: names, narrower, most (names for each). Rows: name, concept (an alias's is the one it stands for; null for an unknown name), names.
UNWIND $names AS name
OPTIONAL MATCH (c:Concept {name: name})
OPTIONAL MATCH (c)-[:ALIAS_OF]->(o:Concept)
WITH name, coalesce(o, c) AS concept
CALL (concept) {
  CALL (concept) {
    RETURN concept AS meant
    UNION
    WITH concept
    WHERE $narrower
    MATCH (n:Concept)-[:BROADER*1..10]->(concept)
    RETURN DISTINCT n AS meant
  }
  CALL (meant) {
    RETURN meant AS named
    UNION
    MATCH (a:Concept)-[:ALIAS_OF]->(meant)
    RETURN a AS named
  }
  WITH DISTINCT named WHERE named IS NOT NULL
  LIMIT $most
  RETURN collect(named.name) AS names
}
RETURN name, concept.name AS concept, names
