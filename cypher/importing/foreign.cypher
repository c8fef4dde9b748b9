// Which of these messages of another system are here already? Parameters: ids (their names there). Rows: mailId, id, thread, contentHash.
UNWIND $ids AS mailId
MATCH (m:Message)
USING INDEX SEEK m:Message(mailId)
WHERE m.mailId = mailId
MATCH (m)-[s:SENT_BY]->()
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN mailId, m.id AS id, p.thread AS thread, s.contentHash AS contentHash
