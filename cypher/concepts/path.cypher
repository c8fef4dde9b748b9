// Does one of these concepts already lie below another, and by which way up? Parameters: below, above (concepts that are to be broader than it). Rows: at most one, names, from above to below.
MATCH (top:Concept {name: $below})
UNWIND $above AS name
MATCH (c:Concept {name: name})
MATCH p = shortestPath((c)-[:BROADER*1..]->(top))
RETURN [n IN nodes(p) | n.name] AS names
ORDER BY size(names), names
LIMIT 1
