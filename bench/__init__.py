"""What an answer costs over HTTP, beside what its Cypher costs through the driver. ``python -m bench`` runs it."""
