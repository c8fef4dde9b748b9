// To how many mailboxes came the messages that this sender sent? Parameters: ids, sender, everything (whoever sent them). Rows: id, receipts; none for a message of another.
UNWIND $ids AS id
MATCH (m:Message {id: id})-[s:SENT_BY]->()
WHERE $everything OR s.sender = $sender
RETURN id, COUNT { (m)-[:DELIVERED_TO]->() } AS receipts
