// What hangs on the tombstones among these ids? Parameters: ids. Rows: id, createdAt, thread, origin (the message that this one's thread forked off), parent (the message it answers), replies (ids), forks (a list of {thread, members}).
UNWIND $ids AS id
MATCH (m:Message {id: id})-[p:PART_OF_THREAD]->(t)
WHERE m.expungedAt IS NOT NULL
RETURN id, m.createdAt.epochMillis AS createdAt, p.thread AS thread,
  head([(t)-[:FORKED_FROM]->(x) | x.id]) AS origin,
  head([(m)-[:IN_REPLY_TO]->(x:Message) | x.id]) AS parent, [(m)<-[:IN_REPLY_TO]-(x) | x.id] AS replies,
  [(m)<-[:FORKED_FROM]-(x) | {thread: x.id, members: COUNT { (x)<-[:PART_OF_THREAD]-() }}] AS forks
