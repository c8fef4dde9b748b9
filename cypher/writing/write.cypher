// Writes a batch of planned messages with everything that hangs on them, under the locks of writing/lock. Parameters: batch (one map, made by graph.batches, so that the plan does not depend on how long its lists are; messages name addresses, threads and tags by their place in addresses, threads and concepts, so that each is looked up once; times are milliseconds since 1970). Rows: messages, entries, and bound, whether every name was found in its place.
CALL () {
  UNWIND $batch.concepts AS name
  MERGE (c:Concept {name: name}) ON CREATE SET c.createdAt = datetime({epochMillis: $batch.now})
  RETURN collect(c) AS concepts
}
CALL () {
  UNWIND $batch.receiving AS x
  MATCH (b:Mailbox {address: x.address})
  WITH b, x.entries AS more, b.uidNext AS uid, b.modseq AS modseq
  SET b.uidNext = uid + more, b.modseq = modseq + more, b.unreadCount = b.unreadCount + more
  RETURN collect(b) AS receiving, collect(uid) AS uids, collect(modseq) AS modseqs
}
CALL () {
  UNWIND $batch.others AS address
  MATCH (b:Mailbox {address: address})
  RETURN collect(b) AS others
}
CALL () {
  UNWIND $batch.broadcasts AS address
  MATCH (b:Broadcast {address: address})
  RETURN collect(b) AS broadcasts
}
CALL () {
  UNWIND $batch.begun AS t
  CREATE (n:Thread {
    id: t.id, subject: t.subject, messageCount: t.count,
    createdAt: datetime({epochMillis: t.createdAt}), lastMessageAt: datetime({epochMillis: t.lastMessageAt})
  })
  RETURN collect(n) AS begun
}
CALL () {
  UNWIND $batch.joined AS t
  MATCH (n:Thread {id: t.id})
  WITH n, t.count AS more, datetime({epochMillis: t.lastMessageAt}) AS last
  SET n.messageCount = n.messageCount + more,
      n.lastMessageAt = CASE WHEN n.lastMessageAt < last THEN last ELSE n.lastMessageAt END
  RETURN collect(n) AS joined
}
CALL () {
  UNWIND $batch.sessions AS s
  MATCH (a:AgentIdentity {handle: s.agent})
  CREATE (n:Session {
    id: s.id, agent: s.agent, externalId: s.externalId, startedAt: datetime({epochMillis: s.startedAt})
  })-[:HELD_BY]->(a)
  RETURN count(*) AS sessions
}
WITH concepts, uids, modseqs, receiving + others + broadcasts AS boxes, begun + joined AS threads
CALL (concepts, uids, modseqs, boxes, threads) {
  UNWIND $batch.messages AS m
  WITH m, boxes[m.author] AS a, threads[m.thread] AS t, datetime({epochMillis: m.createdAt}) AS createdAt,
    datetime({epochMillis: m.deliveredAt}) AS deliveredAt
  CREATE (n:Message {
    id: m.id, subject: m.subject, bodyText: m.bodyText, createdAt: createdAt, priority: m.priority, kind: m.kind,
    expectsReply: m.expectsReply, senderClass: m.senderClass, provenance: m.provenance, tags: m.tags,
    mailId: m.mailId, missingParent: m.missingParent, readers: m.readers, moments: m.moments
  })
  CREATE (n)-[:SENT_BY {
    sender: m.sender, createdAt: createdAt, messageId: m.id, idempotencyKey: m.idempotencyKey,
    contentHash: m.contentHash
  }]->(a)
  CREATE (n)-[:PART_OF_THREAD {thread: m.threadId, messageId: m.id}]->(t)
  FOREACH (i IN m.to | FOREACH (r IN [boxes[i]] | CREATE (n)-[:SENT_TO {
    kind: 'TO', sender: m.sender, address: $batch.addresses[i], createdAt: createdAt, messageId: m.id
  }]->(r)))
  FOREACH (i IN m.cc | FOREACH (r IN [boxes[i]] | CREATE (n)-[:SENT_TO {
    kind: 'CC', sender: m.sender, address: $batch.addresses[i], createdAt: createdAt, messageId: m.id
  }]->(r)))
  FOREACH (i IN m.concepts | FOREACH (c IN [concepts[i]] | CREATE (n)-[:TAGGED_CONCEPT {
    sender: m.sender, concept: $batch.concepts[i], createdAt: createdAt, messageId: m.id
  }]->(c)))
  WITH n, m, deliveredAt, uids, modseqs, boxes
  CALL (n, m, deliveredAt, uids, modseqs, boxes) {
    UNWIND m.entries AS e
    WITH n, m, deliveredAt, e.via AS via, e.pending AS pending, boxes[e.box] AS b, $batch.addresses[e.box] AS mailbox,
      uids[e.box] + e.place AS uid, modseqs[e.box] + e.place + 1 AS modseq
    CREATE (n)-[:DELIVERED_TO {
      mailbox: mailbox, messageId: m.id, uid: uid, modseq: modseq, sender: m.sender, thread: m.threadId,
      folder: 'INBOX', unread: true, deliveredAt: deliveredAt, via: via, tags: m.tags, pending: pending
    }]->(b)
    FOREACH (tag IN m.tags |
      CREATE (n)-[:FILED_UNDER {mailbox: mailbox, folder: 'INBOX', concept: tag, uid: uid, unread: true}]->(b)
    )
    RETURN count(*) AS entries
  }
  RETURN count(*) AS messages, sum(entries) AS entries
}
CALL () {
  UNWIND $batch.replies AS r
  MATCH (n:Message {id: r.message})
  MATCH (p:Message {id: r.parent})
  CREATE (n)-[:IN_REPLY_TO {parent: r.parent, messageId: r.message}]->(p)
  RETURN count(*) AS replies
}
CALL () {
  UNWIND $batch.memoryReplies AS r
  MATCH (n:Message {id: r.message})
  MATCH (p:Memory {id: r.parent})
  CREATE (n)-[:IN_REPLY_TO {parent: r.parent, messageId: r.message}]->(p)
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
  CREATE (n)-[:CARRIES_TASK]->(:Task {
    id: t.id, message: t.message, state: t.state, originator: t.originator, assignee: t.assignee, offered: t.offered,
    unclaimed: t.unclaimed, open: true,
    expiresAt: CASE WHEN t.expiresAt IS NOT NULL THEN datetime({epochMillis: t.expiresAt}) END,
    createdAt: datetime({epochMillis: t.createdAt}), updatedAt: datetime({epochMillis: t.createdAt}), version: 0
  })
  RETURN count(*) AS tasks
}
CALL () {
  UNWIND $batch.tickets AS x
  MATCH (n:Message {id: x.message})
  MERGE (k:Ticket {key: x.key})
  CREATE (n)-[:REFERENCES_TICKET]->(k)
  RETURN count(*) AS tickets
}
CALL () {
  UNWIND $batch.memories AS x
  MATCH (n:Message {id: x.message})
  MATCH (y:Memory {id: x.memory})
  CREATE (n)-[:REFERENCES_MEMORY]->(y)
  RETURN count(*) AS memories
}
CALL () {
  UNWIND $batch.origins AS x
  MATCH (n:Message {id: x.message})
  MATCH (s:Session {id: x.session})
  CREATE (n)-[:ORIGINATES_IN]->(s)
  RETURN count(*) AS origins
}
CALL () {
  UNWIND $batch.related AS x
  MATCH (n:Message {id: x.message})
  MATCH (s:Session {id: x.session})
  CREATE (n)-[:RELATED_SESSION]->(s)
  RETURN count(*) AS related
}
RETURN messages, entries, [b IN boxes | b.address] = $batch.addresses AND [t IN threads | t.id] = $batch.threads
  AND [c IN concepts | c.name] = $batch.concepts AS bound
