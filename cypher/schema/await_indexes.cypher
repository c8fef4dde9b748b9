// Waits until every index answers. No parameters, no rows.
CALL db.awaitIndexes(120)
