// How entries of queues stand. Parameters: entries (lists of mailbox and message). Rows: mailbox, message, claimedBy, claimedUntil, finishedAt; none for one that nobody claimed.
UNWIND $entries AS entry
WITH entry[0] AS mailbox, entry[1] AS message
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = mailbox AND d.messageId = message AND d.claimedBy IS NOT NULL
RETURN mailbox, message, d.claimedBy AS claimedBy, d.claimedUntil.epochMillis AS claimedUntil,
  d.finishedAt.epochMillis AS finishedAt
