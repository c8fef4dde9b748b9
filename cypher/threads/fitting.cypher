// Which of these threads fit a filter by what the reader sees of them: one message by or to the participant, one with every tag (his own tags where it lies in his mailbox), and does one ask him for a reply, one of his ask another, or any ask anybody? Parameters: ids (of threads), reader, mailboxes, everything, participant (an address; null: any), tags (a list of names for each, one of which must be there; null: any). Rows: id, asked, asking, questions; none for a thread that does not fit.
UNWIND $ids AS id
CALL (id) {
  MATCH (m)-[p:PART_OF_THREAD]->()
  USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
  WHERE p.thread = id AND p.messageId > ''
  MATCH (m)-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $reader OR EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  }
  WITH m, s, coalesce(head(COLLECT {
    MATCH ()-[e:DELIVERED_TO]->()
    USING INDEX SEEK e:DELIVERED_TO(mailbox, messageId)
    WHERE e.mailbox = $reader AND e.messageId = m.id
    RETURN e.tags
  }), m.tags) AS tagged
  WITH
    $participant IS NULL OR s.sender = $participant
      OR EXISTS { (m)-[t:SENT_TO]->() WHERE t.address = $participant } AS involves,
    $tags IS NULL OR all(names IN $tags WHERE any(name IN names WHERE name IN tagged)) AS tagged,
    coalesce(m.expectsReply, false) AND m.retractedAt IS NULL AS asks, s.sender = $reader AS own, m
  WITH involves, tagged, asks, own, asks AND NOT own
    AND EXISTS { (m)-[t:SENT_TO]->() WHERE t.kind = 'TO' AND t.address = $reader } AS asksMe
  RETURN count(CASE WHEN involves THEN 1 END) > 0 AS involved, count(CASE WHEN tagged THEN 1 END) > 0 AS tagged,
    count(CASE WHEN asksMe THEN 1 END) > 0 AS asked, count(CASE WHEN asks AND own THEN 1 END) > 0 AS asking,
    count(CASE WHEN asks THEN 1 END) > 0 AS questions
}
WITH id, involved, tagged, asked, asking, questions WHERE involved AND tagged
RETURN id, asked, asking, questions
