// Which of these mails are in a mailbox already? Parameters: mailbox, ids (Message-IDs). Rows: mailId, id, thread, createdAt.
MATCH (m:Message) WHERE m.mailId IN $ids AND EXISTS { (m)-[d:DELIVERED_TO]->() WHERE d.mailbox = $mailbox }
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN m.mailId AS mailId, m.id AS id, p.thread AS thread, m.createdAt AS createdAt
