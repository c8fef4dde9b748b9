// Gives the entry of a locked queue to a member for a time. Parameters: mailbox, message, agent, token, until. Rows: message.
MATCH (r:Role {address: $mailbox})
WITH r, r.modseq + 1 AS modseq
SET r.modseq = modseq
WITH modseq
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = $message
SET d.claimedBy = $agent, d.claimToken = $token, d.claimedUntil = $until, d.modseq = modseq
RETURN d.messageId AS message
