// What leads from identities, roles and concepts to messages that lie in the reader's mailboxes or that he sent, the newest of each way. Parameters: oneself (the reader's handle, or nobody's), others (handles of others), open (mailboxes of his), closed (mailboxes that are not), addresses (all of them), concepts (names), reader, mailboxes, top (above every uid), first, last (times), most (of each way). Rows: node (an address or concept:name), type, id, element, at; all lead from the message to the node.
CALL () {
  UNWIND $oneself AS address
  CALL (address) {
    MATCH (m)-[s:SENT_BY]->()
    USING INDEX SEEK s:SENT_BY(sender, createdAt, messageId)
    WHERE s.sender = address AND s.createdAt >= $first AND s.createdAt <= $last AND s.messageId > ''
    WITH m, s ORDER BY s.sender DESC, s.createdAt DESC, s.messageId DESC LIMIT $most
    RETURN m, s.createdAt AS at
  }
  RETURN address AS node, 'SENT_BY' AS type, m, at
  UNION ALL
  UNWIND $others AS address
  CALL (address) {
    MATCH (m)-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, sender, uid)
    WHERE d.mailbox IN $mailboxes AND d.sender = address AND d.uid < $top
    WITH m LIMIT $most
    RETURN DISTINCT m, m.createdAt AS at
  }
  RETURN address AS node, 'SENT_BY' AS type, m, at
  UNION ALL
  UNWIND $open AS address
  CALL (address) {
    MATCH (m)-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, uid)
    WHERE d.mailbox = address AND d.uid < $top
    WITH m, d ORDER BY d.mailbox DESC, d.uid DESC LIMIT $most
    RETURN m, d.deliveredAt AS at
  }
  RETURN address AS node, 'DELIVERED_TO' AS type, m, at
  UNION ALL
  UNWIND $closed AS address
  CALL (address) {
    MATCH (m)-[d:DELIVERED_TO]->()
    USING INDEX SEEK d:DELIVERED_TO(mailbox, sender, uid)
    WHERE d.mailbox = address AND d.sender = $reader AND d.uid < $top
    WITH m, d ORDER BY d.mailbox DESC, d.sender DESC, d.uid DESC LIMIT $most
    RETURN m, d.deliveredAt AS at
  }
  RETURN address AS node, 'DELIVERED_TO' AS type, m, at
  UNION ALL
  UNWIND $addresses AS address
  CALL (address) {
    MATCH (m)-[t:SENT_TO]->()
    USING INDEX SEEK t:SENT_TO(sender, address, createdAt, messageId)
    WHERE t.sender = $reader AND t.address = address AND t.createdAt >= $first AND t.createdAt <= $last AND t.messageId > ''
    WITH m, t ORDER BY t.sender DESC, t.address DESC, t.createdAt DESC, t.messageId DESC LIMIT $most
    RETURN m, t.createdAt AS at
  }
  RETURN address AS node, 'SENT_TO' AS type, m, at
  UNION ALL
  UNWIND $concepts AS concept
  CALL (concept) {
    MATCH (m)-[t:TAGGED_CONCEPT]->()
    USING INDEX SEEK t:TAGGED_CONCEPT(sender, concept, createdAt, messageId)
    WHERE t.sender = $reader AND t.concept = concept AND t.createdAt >= $first AND t.createdAt <= $last AND t.messageId > ''
    WITH m, t ORDER BY t.sender DESC, t.concept DESC, t.createdAt DESC, t.messageId DESC LIMIT $most
    RETURN m, t.createdAt AS at
    UNION
    UNWIND ['INBOX', 'ARCHIVE'] AS folder
    MATCH (m)-[f:FILED_UNDER]->()
    USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
    WHERE f.mailbox IN $mailboxes AND f.folder = folder AND f.concept = concept AND f.uid < $top
    WITH m LIMIT $most
    WHERE concept IN m.tags
    RETURN m, m.createdAt AS at
  }
  RETURN 'concept:' + concept AS node, 'TAGGED_CONCEPT' AS type, m, at
}
RETURN node, type, m.id AS id, elementId(m) AS element, at.epochMillis AS at
