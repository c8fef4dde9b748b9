// Which names mean a registered concept? Parameters: most. Rows: name, concept (the same for all but an alias).
MATCH (c:Concept) WHERE c.registeredAt IS NOT NULL
WITH c ORDER BY c.name LIMIT $most
RETURN c.name AS name, c.name AS concept
UNION ALL
MATCH (c:Concept) WHERE c.registeredAt IS NOT NULL
WITH c ORDER BY c.name LIMIT $most
MATCH (a:Concept)-[:ALIAS_OF]->(c)
RETURN a.name AS name, c.name AS concept
