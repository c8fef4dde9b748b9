// Writes a batch of planned messages with everything that hangs on them, under the locks of writing/lock. Parameters: batch (one map, so that the plan does not depend on how long its lists are: now, concepts and tickets as sorted names, sessions, newThreads, threadCounts, messages, replies, memoryReplies, forks, tasks, mailboxes with their entries in send order). Rows: messages, entries.
CALL () {
  UNWIND $batch.concepts AS name
  MERGE (c:Concept {name: name}) ON CREATE SET c.createdAt = $batch.now
  RETURN count(*) AS concepts
}
CALL () {
  UNWIND $batch.tickets AS key
  MERGE (k:Ticket {key: key})
  RETURN count(*) AS tickets
}
CALL () {
  UNWIND $batch.sessions AS s
  MATCH (a:AgentIdentity {handle: s.agent})
  CREATE (n:Session {id: s.id, agent: s.agent, externalId: s.externalId, startedAt: s.startedAt})-[:HELD_BY]->(a)
  RETURN count(*) AS sessions
}
CALL () {
  UNWIND $batch.newThreads AS t
  CREATE (n:Thread {id: t.id, subject: t.subject, createdAt: t.createdAt, lastMessageAt: t.createdAt, messageCount: 0})
  RETURN count(*) AS threads
}
CALL () {
  UNWIND $batch.threadCounts AS t
  MATCH (n:Thread {id: t.id})
  SET n.messageCount = n.messageCount + t.count,
      n.lastMessageAt = CASE WHEN n.lastMessageAt < t.lastMessageAt THEN t.lastMessageAt ELSE n.lastMessageAt END
  RETURN count(*) AS counted
}
CALL () {
  UNWIND $batch.messages AS m
  MATCH (a:AgentIdentity {handle: m.sender})
  MATCH (t:Thread {id: m.thread})
  CREATE (n:Message) SET n = m.properties
  CREATE (n)-[by:SENT_BY]->(a) SET by = m.sentBy
  CREATE (n)-[:PART_OF_THREAD {thread: m.thread, messageId: n.id}]->(t)
  WITH n, m
  CALL (n, m) {
    UNWIND m.addresses AS x
    MATCH (r:Mailbox {address: x.address})
    CREATE (n)-[:SENT_TO {kind: x.kind}]->(r)
    RETURN count(*) AS named
  }
  CALL (n, m) {
    UNWIND m.broadcasts AS x
    MATCH (r:Broadcast {address: x.address})
    CREATE (n)-[:SENT_TO {kind: x.kind}]->(r)
    RETURN count(*) AS broadcast
  }
  CALL (n, m) {
    UNWIND m.tags AS name
    MATCH (c:Concept {name: name})
    CREATE (n)-[:TAGGED_CONCEPT]->(c)
    RETURN count(*) AS tagged
  }
  CALL (n, m) {
    UNWIND m.tickets AS key
    MATCH (k:Ticket {key: key})
    CREATE (n)-[:REFERENCES_TICKET]->(k)
    RETURN count(*) AS ticketed
  }
  CALL (n, m) {
    UNWIND m.memories AS id
    MATCH (x:Memory {id: id})
    CREATE (n)-[:REFERENCES_MEMORY]->(x)
    RETURN count(*) AS referenced
  }
  CALL (n, m) {
    UNWIND m.origin AS id
    MATCH (x:Session {id: id})
    CREATE (n)-[:ORIGINATES_IN]->(x)
    RETURN count(*) AS originates
  }
  CALL (n, m) {
    UNWIND m.related AS id
    MATCH (x:Session {id: id})
    CREATE (n)-[:RELATED_SESSION]->(x)
    RETURN count(*) AS related
  }
  RETURN count(*) AS messages
}
CALL () {
  UNWIND $batch.replies AS r
  MATCH (n:Message {id: r.message})
  MATCH (p:Message {id: r.parent})
  CREATE (n)-[:IN_REPLY_TO]->(p)
  RETURN count(*) AS replies
}
CALL () {
  UNWIND $batch.memoryReplies AS r
  MATCH (n:Message {id: r.message})
  MATCH (p:Memory {id: r.parent})
  CREATE (n)-[:IN_REPLY_TO]->(p)
  RETURN count(*) AS memoryReplies
}
CALL () {
  UNWIND $batch.forks AS f
  MATCH (t:Thread {id: f.thread})
  MATCH (p:Message {id: f.parent})
  CREATE (t)-[:FORKED_FROM]->(p)
  RETURN count(*) AS forks
}
CALL () {
  UNWIND $batch.tasks AS t
  MATCH (n:Message {id: t.message})
  CREATE (n)-[:CARRIES_TASK]->(x:Task) SET x = t.properties
  RETURN count(*) AS tasks
}
CALL () {
  UNWIND $batch.mailboxes AS g
  MATCH (b:Mailbox {address: g.address})
  WITH b, g, b.uidNext AS uid, b.modseq AS modseq
  SET b.uidNext = uid + size(g.entries), b.modseq = modseq + size(g.entries),
      b.unreadCount = b.unreadCount + size(g.entries)
  WITH b, g, uid, modseq
  UNWIND range(0, size(g.entries) - 1) AS i
  WITH b, g.entries[i] AS e, uid + i AS uid, modseq + i + 1 AS modseq
  MATCH (n:Message {id: e.message})
  CREATE (n)-[d:DELIVERED_TO]->(b)
  SET d = e.properties, d.mailbox = b.address, d.messageId = n.id, d.uid = uid, d.modseq = modseq
  FOREACH (concept IN e.concepts |
    CREATE (n)-[:FILED_UNDER {mailbox: b.address, folder: 'INBOX', concept: concept, uid: uid, unread: true}]->(b)
  )
  RETURN count(*) AS entries
}
RETURN messages, entries
