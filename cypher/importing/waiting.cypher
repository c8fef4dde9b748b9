// Which messages of a mailbox answer one of these mails, and did not find it? Parameters: mailbox, ids (Message-IDs). Rows: missing (the Message-ID), id, thread; oldest thread first.
UNWIND $ids AS missing
MATCH (m:Message) WHERE m.missingParent = missing AND EXISTS { (m)-[d:DELIVERED_TO]->() WHERE d.mailbox = $mailbox }
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN missing, m.id AS id, p.thread AS thread
ORDER BY missing, thread, id
