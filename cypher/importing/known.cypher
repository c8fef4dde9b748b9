// Which of these mails are in a mailbox already? Parameters: mailbox, ids (Message-IDs). Rows: mailId, id, thread, createdAt, contentHash.
UNWIND $ids AS mailId
MATCH (m:Message)
USING INDEX SEEK m:Message(mailId)
WHERE m.mailId = mailId AND EXISTS {
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox = $mailbox AND d.messageId = m.id
}
MATCH (m)-[s:SENT_BY]->()
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN mailId, m.id AS id, p.thread AS thread, m.createdAt.epochMillis AS createdAt, s.contentHash AS contentHash
