// What others allow an identity; whether they block it is theirs to know. Parameters: agent, afterMailbox and afterType (the last row of the page before, or empty), limit. Rows: agent, type, mailbox, since; by mailbox, then type.
MATCH (a:AgentIdentity {handle: $agent})-[r:CAN_READ_INBOX_OF|CAN_REPLY_TO]->(b:Mailbox)
WHERE b.address > $afterMailbox OR (b.address = $afterMailbox AND type(r) > $afterType)
RETURN a.handle AS agent, type(r) AS type, b.address AS mailbox, r.since.epochMillis AS since
ORDER BY mailbox, type LIMIT $limit
