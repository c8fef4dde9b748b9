"""Every Cypher query of the project, one named query a file; ``graph.queries`` loads them by name."""
