// What is said of each concept in the ontology? Parameters: names, most (narrower ones). Rows: name, aliases, broader, narrower; each by name.
UNWIND $names AS name
MATCH (c:Concept {name: name})
RETURN name,
  COLLECT { MATCH (a:Concept)-[:ALIAS_OF]->(c) RETURN a.name ORDER BY a.name } AS aliases,
  COLLECT { MATCH (c)-[:BROADER]->(b:Concept) RETURN b.name ORDER BY b.name } AS broader,
  COLLECT { MATCH (n:Concept)-[:BROADER]->(c) RETURN n.name ORDER BY n.name LIMIT $most } AS narrower
