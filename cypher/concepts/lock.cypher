// Takes the ontology's turn, and holds these concepts, made where they are new. Parameters: names (sorted), at. Rows: name, registered, aliasOf (null: it stands for itself).
MATCH (o:Ontology {name: 'ontology'})
SET o.lock = 1
WITH o
UNWIND $names AS name
MERGE (c:Concept {name: name}) ON CREATE SET c.createdAt = $at
SET c.lock = 1
WITH c
OPTIONAL MATCH (c)-[:ALIAS_OF]->(x:Concept)
RETURN c.name AS name, c.registeredAt IS NOT NULL AS registered, x.name AS aliasOf
