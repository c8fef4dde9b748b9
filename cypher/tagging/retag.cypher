// Gives entries of a locked mailbox other tags, and files them under those. Parameters: mailbox, at, concepts (that are added, sorted), changes (a list of {message, tags, added, removed}). Rows: state.
CALL () {
  UNWIND $concepts AS name
  MERGE (c:Concept {name: name}) ON CREATE SET c.createdAt = $at
  RETURN count(*) AS concepts
}
MATCH (b:Mailbox {address: $mailbox})
WITH b, b.modseq AS modseq
SET b.modseq = modseq + size($changes)
WITH b, modseq
UNWIND range(0, size($changes) - 1) AS i
WITH b, $changes[i] AS change, modseq + i + 1 AS modseq
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = change.message
SET d.tags = change.tags, d.modseq = modseq
WITH b, m, d, change
CALL (d, change) {
  MATCH ()-[f:FILED_UNDER]->()
  WHERE f.mailbox = $mailbox AND f.folder = d.folder AND f.concept IN change.removed AND f.uid = d.uid
  DELETE f
  RETURN count(*) AS removed
}
CALL (b, m, d, change) {
  UNWIND change.added AS concept
  CREATE (m)-[:FILED_UNDER {
    mailbox: b.address, folder: d.folder, concept: concept, uid: d.uid, unread: d.unread
  }]->(b)
  RETURN count(*) AS added
}
RETURN DISTINCT b.modseq AS state
