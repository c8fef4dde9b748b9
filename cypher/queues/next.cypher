// The oldest entry of a queue that nobody has claimed, or whose claim has lapsed. Parameters: mailbox, at, window (unfinished entries to look at). Rows: message; none when all are claimed or finished.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, pending, uid)
WHERE d.mailbox = $mailbox AND d.pending = true AND d.uid > 0
WITH d ORDER BY d.mailbox, d.pending, d.uid LIMIT $window
WITH d WHERE d.claimedUntil IS NULL OR d.claimedUntil <= $at
RETURN d.messageId AS message LIMIT 1
