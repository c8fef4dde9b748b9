// How many messages of each thread may the reader see, and when was the last of them sent? Parameters: ids, reader, mailboxes, everything. Rows: id, messageCount, lastMessageAt (null for none).
UNWIND $ids AS id
CALL (id) {
  CALL (id) {
    MATCH (m)-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, thread, uid)
    WHERE d.mailbox IN $mailboxes AND d.thread = id AND d.uid > 0
    RETURN m
    UNION
    MATCH (m)-[p:PART_OF_THREAD]->()
    USING INDEX SEEK p:PART_OF_THREAD(thread, messageId)
    WHERE p.thread = id AND p.messageId > ''
    MATCH (m)-[s:SENT_BY]->() WHERE $everything OR s.sender = $reader
    RETURN m
  }
  RETURN count(m) AS messageCount, max(m.createdAt).epochMillis AS lastMessageAt
}
RETURN id, messageCount, lastMessageAt
