// Which messages did these senders send before with these idempotency keys? For drafts that refer to nothing else; asked under the locks. Parameters: batch (one map with drafts, a list of {row, sender, key}). Rows: row, duplicate; none for a key that is new.
UNWIND $batch.drafts AS d
MATCH (m)-[s:SENT_BY]->()
USING INDEX SEEK s:SENT_BY(sender, idempotencyKey)
WHERE s.sender = d.sender AND s.idempotencyKey = d.key
RETURN d.row AS row, {id: m.id, contentHash: s.contentHash} AS duplicate
