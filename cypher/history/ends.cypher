// Do messages already found to be the reader's to see begin their threads, and do they have the last word in them, as far as he may see? Parameters: ids, reader, mailboxes, everything. Rows: id, begins (it answers no message of the thread, and none came before), ends (one came before, and none after).
UNWIND $ids AS id
MATCH (m:Message {id: id})-[p:PART_OF_THREAD]->()
WITH m, p.thread AS thread,
  m.missingParent IS NOT NULL OR EXISTS {
    MATCH (m)-[:IN_REPLY_TO]->(:Message)-[o:PART_OF_THREAD]->() WHERE o.thread = p.thread
  } AS answers
WITH m, answers, EXISTS {
    MATCH (x)-[q:PART_OF_THREAD]->()
    USING INDEX SEEK q:PART_OF_THREAD(thread, messageId)
    WHERE q.thread = thread AND q.messageId < m.id
      AND (($everything AND x.expungedAt IS NULL) OR EXISTS { (x)-[s:SENT_BY]->() WHERE s.sender = $reader } OR EXISTS {
        MATCH ()-[d:DELIVERED_TO]->()
        USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
        WHERE d.mailbox IN $mailboxes AND d.messageId = q.messageId
      })
  } AS before, EXISTS {
    MATCH (x)-[q:PART_OF_THREAD]->()
    USING INDEX SEEK q:PART_OF_THREAD(thread, messageId)
    WHERE q.thread = thread AND q.messageId > m.id
      AND (($everything AND x.expungedAt IS NULL) OR EXISTS { (x)-[s:SENT_BY]->() WHERE s.sender = $reader } OR EXISTS {
        MATCH ()-[d:DELIVERED_TO]->()
        USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
        WHERE d.mailbox IN $mailboxes AND d.messageId = q.messageId
      })
  } AS after
RETURN m.id AS id, NOT answers AND NOT before AS begins, before AND NOT after AS ends
