// The entries of a mailbox, newest first. Parameters: mailbox, before (a uid), window. Rows: id, at (when it was delivered), uid.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, uid)
WHERE d.mailbox = $mailbox AND d.uid < $before
WITH d ORDER BY d.mailbox DESC, d.uid DESC LIMIT $window
RETURN d.messageId AS id, d.deliveredAt.epochMillis AS at, d.uid AS uid
