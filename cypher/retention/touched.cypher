// What must be locked before these messages are deleted. Parameters: ids, mailbox (that loses them; null: every one). Rows: one with holders (the mailboxes that lose them), people (senders, named recipients, and whoever else reads a holder's mail), threads (theirs, and those of what they answer).
CALL () {
  UNWIND CASE WHEN $mailbox IS NULL THEN $ids ELSE [] END AS id
  MATCH (m:Message {id: id})-[d:DELIVERED_TO]->()
  RETURN collect(DISTINCT d.mailbox) AS found
}
WITH CASE WHEN $mailbox IS NULL THEN found ELSE [$mailbox] END AS holders
CALL (holders) {
  MATCH (b:Mailbox)<-[:HAS_ROLE|CAN_READ_INBOX_OF]-(x:Mailbox) WHERE b.address IN holders
  RETURN collect(DISTINCT x.address) AS readers
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {id: id})-[:SENT_BY|SENT_TO]->(b:Mailbox)
  RETURN collect(DISTINCT b.address) AS named
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {id: id})
  UNWIND [m] + [(m)-[:IN_REPLY_TO]->(x:Message) | x] AS member
  MATCH (member)-[p:PART_OF_THREAD]->()
  RETURN collect(DISTINCT p.thread) AS threads
}
RETURN holders, readers + named AS people, threads
