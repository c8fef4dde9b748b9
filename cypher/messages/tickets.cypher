// The tickets of these keys that a message the reader may see refers to. Parameters: keys, reader, mailboxes, everything. Rows: key, url.
UNWIND $keys AS key
MATCH (t:Ticket {key: key})
WHERE $everything OR EXISTS {
  MATCH (t)<-[:REFERENCES_TICKET]-(m:Message)
  WHERE EXISTS {
    MATCH ()-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
    WHERE d.mailbox IN $mailboxes AND d.messageId = m.id
  } OR EXISTS { (m)-[b:SENT_BY]->() WHERE b.sender = $reader }
}
RETURN t.key AS key, t.url AS url
