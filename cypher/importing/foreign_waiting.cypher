// Which messages answer one of these of another system, and did not find it? Parameters: ids (their names there). Rows: missing (the name), id, thread, placed (whether it sits under an older ancestor meanwhile); oldest thread first.
UNWIND $ids AS missing
MATCH (m:Message)
USING INDEX SEEK m:Message(missingParent)
WHERE m.missingParent = missing AND m.expungedAt IS NULL
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN missing, m.id AS id, p.thread AS thread, EXISTS { (m)-[:IN_REPLY_TO]->() } AS placed
ORDER BY missing, thread, id
