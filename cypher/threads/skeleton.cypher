// The members of each thread without their text. Parameters: ids (of threads), reader, mailboxes. Rows: thread, id, createdAt, parent (the message it answers, which may be of another thread), missing (the id of a mail that never arrived), visible; oldest id first.
UNWIND $ids AS thread
CALL (thread) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = thread AND p.messageId > ''
  WITH m, p ORDER BY p.thread, p.messageId
  OPTIONAL MATCH (m)-[:IN_REPLY_TO]->(x:Message)
  RETURN p.messageId AS id, m.createdAt.epochMillis AS createdAt, x.id AS parent, m.missingParent AS missing,
    EXISTS { (m)-[s:SENT_BY]->() WHERE s.sender = $reader }
    OR EXISTS {
      MATCH ()-[d:DELIVERED_TO]->()
      USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
      WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
    } AS visible
}
RETURN thread, id, createdAt, parent, missing, visible
