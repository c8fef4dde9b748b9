// What a mailbox allows others, or forbids them. Parameters: mailbox, types (relationship types), afterAgent and afterType (the last row of the page before, or empty), limit. Rows: agent, type, mailbox, since; by agent, then type.
MATCH (a:AgentIdentity)-[r:CAN_READ_INBOX_OF|CAN_REPLY_TO|BLOCKED_BY]->(b:Mailbox {address: $mailbox})
WHERE type(r) IN $types AND (a.handle > $afterAgent OR (a.handle = $afterAgent AND type(r) > $afterType))
RETURN a.handle AS agent, type(r) AS type, b.address AS mailbox, r.since.epochMillis AS since
ORDER BY agent, type LIMIT $limit
