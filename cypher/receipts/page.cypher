// How far came the messages that this sender sent, by mailbox? Parameters: ids, sender, everything (whoever sent them), after (an address), limit (for each). Rows: id, address, via, deliveredAt, seenAt, readAt; by address.
UNWIND $ids AS id
CALL (id) {
  MATCH (m:Message {id: id})-[s:SENT_BY]->()
  WHERE $everything OR s.sender = $sender
  WITH m LIMIT 1
  MATCH (m)-[d:DELIVERED_TO]->()
  WHERE d.mailbox > $after
  WITH d ORDER BY d.mailbox LIMIT $limit
  RETURN d.mailbox AS address, d.via AS via, d.deliveredAt.epochMillis AS deliveredAt,
    d.seenAt.epochMillis AS seenAt, d.readAt.epochMillis AS readAt
}
RETURN id, address, via, deliveredAt, seenAt, readAt
ORDER BY id, address
