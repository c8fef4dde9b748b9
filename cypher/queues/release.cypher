// Frees the entry of a locked queue. Parameters: mailbox, message. Rows: message.
MATCH (r:Role {address: $mailbox})
WITH r, r.modseq + 1 AS modseq
SET r.modseq = modseq
WITH modseq
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = $message
SET d.modseq = modseq
REMOVE d.claimedBy, d.claimToken, d.claimedUntil
RETURN d.messageId AS message
