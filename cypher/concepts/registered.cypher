// Which registered concepts do these names mean, as themselves or as an alias? Parameters: names. Rows: name, concept.
UNWIND $names AS name
MATCH (c:Concept {name: name})
OPTIONAL MATCH (c)-[:ALIAS_OF]->(o:Concept)
WITH name, coalesce(o, c) AS concept
WHERE concept.registeredAt IS NOT NULL
RETURN name, concept.name AS concept
