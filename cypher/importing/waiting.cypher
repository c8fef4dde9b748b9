// Which messages of a mailbox answer one of these mails, and did not find it? Parameters: mailbox, ids (Message-IDs). Rows: missing (the Message-ID), id, thread, placed (whether it sits under an older ancestor meanwhile); oldest thread first.
UNWIND $ids AS missing
MATCH (m:Message)
USING INDEX SEEK m:Message(missingParent)
WHERE m.missingParent = missing AND EXISTS {
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox = $mailbox AND d.messageId = m.id
}
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN missing, m.id AS id, p.thread AS thread, EXISTS { (m)-[:IN_REPLY_TO]->() } AS placed
ORDER BY missing, thread, id
