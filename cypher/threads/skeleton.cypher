// The members of each thread without their text, from the oldest id on. Parameters: ids (of threads), reader, mailboxes, everything, most (of each thread), limit (of all of them together). Rows: thread, id, createdAt, parent (the message it answers, which may be of another thread), missing (the id of a mail that never arrived), visible, and of a visible one sender and asks (whether it expects a reply).
UNWIND $ids AS thread
CALL (thread) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = thread AND p.messageId > ''
  WITH m, p ORDER BY p.thread, p.messageId LIMIT $most
  OPTIONAL MATCH (m)-[:IN_REPLY_TO]->(x:Message)
  OPTIONAL MATCH (m)-[s:SENT_BY]->()
  WITH m, p, s, x, s IS NOT NULL AND ($everything OR s.sender = $reader)
    OR EXISTS {
      MATCH ()-[d:DELIVERED_TO]->()
      USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
      WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
    } AS visible
  RETURN p.messageId AS id, m.createdAt.epochMillis AS createdAt, x.id AS parent, m.missingParent AS missing, visible,
    CASE WHEN visible THEN s.sender END AS sender,
    visible AND coalesce(m.expectsReply, false) AND m.retractedAt IS NULL AS asks
}
RETURN thread, id, createdAt, parent, missing, visible, sender, asks
LIMIT $limit
