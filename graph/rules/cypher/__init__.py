"""What of an analyst's own Cypher may run: judged by its text, then by the plan that Neo4j makes of it."""
