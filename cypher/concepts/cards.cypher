// The concepts of these names that the reader may see: registered ones, and what stands on an entry, a message or a memory of his. Parameters: names (an alias's is the concept it stands for), reader, mailboxes, everything. Rows: asked, name, description, registered, createdAt.
UNWIND $names AS asked
MATCH (n:Concept {name: asked})
OPTIONAL MATCH (n)-[:ALIAS_OF]->(o:Concept)
WITH asked, coalesce(o, n) AS c
WHERE $everything OR c.registeredAt IS NOT NULL
  OR EXISTS {
    MATCH ()-[f:FILED_UNDER]->()
    USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
    WHERE f.mailbox IN $mailboxes AND f.folder IN ['INBOX', 'ARCHIVE'] AND f.concept = c.name AND f.uid > 0
  }
  OR EXISTS {
    MATCH ()-[t:TAGGED_CONCEPT]->()
    USING INDEX SEEK t:TAGGED_CONCEPT(sender, concept, createdAt, messageId)
    WHERE t.sender = $reader AND t.concept = c.name AND t.createdAt IS NOT NULL AND t.messageId > ''
  }
  OR EXISTS {
    MATCH ()-[t:TAGGED_CONCEPT]->()
    USING INDEX SEEK t:TAGGED_CONCEPT(agent, concept)
    WHERE t.agent = $reader AND t.concept = c.name
  }
RETURN asked, c.name AS name, c.description AS description, c.registeredAt IS NOT NULL AS registered,
  c.createdAt.epochMillis AS createdAt
