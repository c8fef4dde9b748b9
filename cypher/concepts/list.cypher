// The concepts from a name on that the reader may see, by name. Parameters: start, end, after (a name that is left out), skip (concepts to pass over), registered (null: any), window (concepts to scan), reader, mailboxes, everything. Rows: one with scanned, concepts (each as in concepts/cards).
MATCH (c:Concept)
USING INDEX SEEK c:Concept(name)
WHERE c.name >= $start AND c.name < $end AND c.name <> $after
WITH c ORDER BY c.name SKIP $skip LIMIT $window
WITH c, c.name AS name,
  NOT EXISTS { (c)-[:ALIAS_OF]->(:Concept) }
  AND ($registered IS NULL OR $registered = (c.registeredAt IS NOT NULL))
  AND (
  $everything OR c.registeredAt IS NOT NULL
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
  ) AS fits
RETURN count(*) AS scanned,
  collect(CASE WHEN fits THEN c {
    .name, .description, asked: name, registered: c.registeredAt IS NOT NULL, createdAt: c.createdAt.epochMillis
  } END) AS concepts
