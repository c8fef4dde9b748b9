// Locks an agent's mailbox and finds the session it names, by its id or by its harness's. Parameters: agent, name. Rows: one; session is null when there is none.
MATCH (b:Mailbox {address: $agent})
SET b.lock = 1
WITH b
OPTIONAL MATCH (o:Session) WHERE o.agent = $agent AND o.externalId = $name
OPTIONAL MATCH (p:Session {id: $name}) WHERE p.agent = $agent
RETURN coalesce(o.id, p.id) AS session
