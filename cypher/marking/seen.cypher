// Notes on a mailbox's entries of these messages when their owner was first shown them; no state moves. Parameters: mailbox, shown (a list of {message, at}). Rows: seen.
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
WITH b
UNWIND $shown AS s
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = s.message AND d.seenAt IS NULL
SET d.seenAt = s.at
RETURN count(d) AS seen
