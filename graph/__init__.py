"""The substrate: mail, threads, sessions, memories and handovers kept as one graph in Neo4j."""
