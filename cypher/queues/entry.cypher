// How does the entry of a message stand in a queue? Parameters: mailbox, message. Rows: message, claimedBy, claimedUntil, claimToken, finishedAt; none when it is not there.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = $message
RETURN d.messageId AS message, d.claimedBy AS claimedBy, d.claimedUntil.epochMillis AS claimedUntil,
  d.claimToken AS claimToken, d.finishedAt.epochMillis AS finishedAt
