// Which memory did an agent keep with this idempotency key? Parameters: agent, key. Rows: id, contentHash; none when there is none.
MATCH (m:Memory)-[r:REMEMBERED_BY]->()
WHERE r.agent = $agent AND r.idempotencyKey = $key
RETURN m.id AS id, r.contentHash AS contentHash
