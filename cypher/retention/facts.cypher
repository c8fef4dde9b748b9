// What hangs on the messages of these ids that may be deleted, under the locks? Parameters: ids, mailbox (null: all of them), exceptTags. Rows: id, createdAt, entries (in all mailboxes), held (whether the mailbox holds it), thread, origin (the message that this one's thread forked off), parent (the message it answers), replies (ids), forks (a list of {thread, members}); none for what is gone or never deleted.
UNWIND $ids AS id
MATCH (m:Message {id: id})-[p:PART_OF_THREAD]->(t)
WHERE m.expungedAt IS NULL
  AND NOT EXISTS { (m)-[:CARRIES_TASK]->(task) WHERE task.open IS NOT NULL }
  AND NOT EXISTS { (m)-[:TAGGED_CONCEPT]->(c) WHERE c.name IN $exceptTags }
  AND NOT EXISTS { (m)-[d:DELIVERED_TO]->() WHERE d.pending OR any(tag IN d.tags WHERE tag IN $exceptTags) }
RETURN id, m.createdAt.epochMillis AS createdAt, COUNT { (m)-[:DELIVERED_TO]->() } AS entries,
  $mailbox IS NOT NULL AND EXISTS {
    MATCH ()-[e:DELIVERED_TO]->()
    USING INDEX SEEK e:DELIVERED_TO(mailbox, messageId)
    WHERE e.mailbox = $mailbox AND e.messageId = id
  } AS held,
  p.thread AS thread, head([(t)-[:FORKED_FROM]->(x) | x.id]) AS origin,
  head([(m)-[:IN_REPLY_TO]->(x:Message) | x.id]) AS parent, [(m)<-[:IN_REPLY_TO]-(x) | x.id] AS replies,
  [(m)<-[:FORKED_FROM]-(x) | {thread: x.id, members: COUNT { (x)<-[:PART_OF_THREAD]-() }}] AS forks
