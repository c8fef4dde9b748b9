// What does the graph know of each draft's references, under the locks? Parameters: batch (one map with drafts, a list of {row, sender, key, parent, thread, origin, related, memories}). Rows: row, duplicate, parent, participates, origin, related, memories; absent means not there or not the sender's to see.
UNWIND $batch.drafts AS d
CALL (d) {
  MATCH (a:AgentIdentity {handle: d.sender})
  WITH a, [a.address] + COLLECT {
    MATCH (a)-[:HAS_ROLE]->(q:Role {delivery: 'QUEUE'}) WHERE NOT EXISTS { (a)-[:BLOCKED_BY]->(q) } RETURN q.address
  } AS held
  RETURN held, held + COLLECT {
    MATCH (a)-[:CAN_READ_INBOX_OF]->(g:Mailbox) WHERE NOT EXISTS { (a)-[:BLOCKED_BY]->(g) } RETURN g.address
  } AS mailboxes
}
CALL (d) {
  OPTIONAL MATCH (m)-[s:SENT_BY]->()
  USING INDEX SEEK s:SENT_BY(sender, idempotencyKey)
  WHERE s.sender = d.sender AND s.idempotencyKey = d.key
  RETURN CASE WHEN m IS NULL THEN null ELSE {id: m.id, contentHash: s.contentHash} END AS duplicate
}
CALL (d, mailboxes) {
  OPTIONAL MATCH (m:Message {id: d.parent})-[:SENT_BY]->(a), (m)-[:PART_OF_THREAD]->(t)
  RETURN CASE WHEN m IS NULL THEN null ELSE {
    id: m.id, author: a.handle, thread: t.id,
    visible: a.handle = d.sender OR EXISTS {
      MATCH ()-[e:DELIVERED_TO]->()
      USING INDEX SEEK e:DELIVERED_TO(mailbox, messageId)
      WHERE e.mailbox IN mailboxes AND e.messageId = m.id
    },
    recipients: COLLECT { MATCH (m)-[:SENT_TO {kind: 'TO'}]->(r) RETURN r.address ORDER BY r.address }
  } END AS message
}
CALL (d, mailboxes) {
  OPTIONAL MATCH (m:Memory {id: d.parent})-[:REMEMBERED_BY]->(a)
  RETURN CASE WHEN m IS NULL THEN null ELSE {
    id: m.id, author: a.handle, thread: null, recipients: [],
    visible: a.handle = d.sender OR EXISTS {
      (m)<-[:REFERENCES_MEMORY]-(x:Message) WHERE EXISTS {
        MATCH ()-[e:DELIVERED_TO]->()
        USING INDEX SEEK e:DELIVERED_TO(mailbox, messageId)
        WHERE e.mailbox IN mailboxes AND e.messageId = x.id
      }
    }
  } END AS memory
}
CALL (d, held) {
  RETURN EXISTS {
    MATCH ()-[e:DELIVERED_TO]->()
    USING INDEX SEEK e:DELIVERED_TO(mailbox, thread, uid)
    WHERE e.mailbox IN held AND e.thread = d.thread AND e.uid > 0
  } OR EXISTS { (:Thread {id: d.thread})<-[:PART_OF_THREAD]-(x)-[s:SENT_BY]->() WHERE s.sender = d.sender } AS participates
}
CALL (d) {
  OPTIONAL MATCH (o:Session) WHERE o.agent = d.sender AND o.externalId = d.origin
  OPTIONAL MATCH (p:Session {id: d.origin}) WHERE p.agent = d.sender
  RETURN coalesce(o.id, p.id) AS origin
}
CALL (d, mailboxes) {
  UNWIND d.related AS name
  OPTIONAL MATCH (o:Session) WHERE o.agent = d.sender AND o.externalId = name
  OPTIONAL MATCH (p:Session {id: name})
    WHERE p.agent = d.sender OR EXISTS {
      (p)<-[:ORIGINATES_IN|RELATED_SESSION]-(x:Message) WHERE EXISTS {
        MATCH ()-[e:DELIVERED_TO]->()
        USING INDEX SEEK e:DELIVERED_TO(mailbox, messageId)
        WHERE e.mailbox IN mailboxes AND e.messageId = x.id
      }
    }
  WITH name, coalesce(o.id, p.id) AS id WHERE id IS NOT NULL
  RETURN collect([name, id]) AS related
}
CALL (d) {
  MATCH (m:Memory)-[:REMEMBERED_BY]->(a) WHERE m.id IN d.memories AND a.handle = d.sender
  RETURN collect(m.id) AS memories
}
RETURN d.row AS row, duplicate, coalesce(message, memory) AS parent, participates, origin, related, memories
