// What must be locked before these messages are deleted; none of it changes. Parameters: ids, everywhere (also the mailboxes that hold them). Rows: one with holders (mailboxes with entries of them), people (senders and named recipients), threads (theirs, and those of what they answer).
CALL () {
  UNWIND CASE WHEN $everywhere THEN $ids ELSE [] END AS id
  MATCH (m:Message {id: id})-[d:DELIVERED_TO]->()
  RETURN collect(DISTINCT d.mailbox) AS holders
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {id: id})-[:SENT_BY|SENT_TO]->(b:Mailbox)
  RETURN collect(DISTINCT b.address) AS people
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {id: id})
  UNWIND [m] + [(m)-[:IN_REPLY_TO]->(x:Message) | x] AS member
  MATCH (member)-[p:PART_OF_THREAD]->()
  RETURN collect(DISTINCT p.thread) AS threads
}
RETURN holders, people, threads
