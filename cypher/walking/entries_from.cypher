// The entries of a mailbox that one sender made, newest first. Parameters: mailbox, sender, before (a uid), window. Rows: id, at (when it was delivered), uid.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, sender, uid)
WHERE d.mailbox = $mailbox AND d.sender = $sender AND d.uid < $before
WITH d ORDER BY d.mailbox DESC, d.sender DESC, d.uid DESC LIMIT $window
RETURN d.messageId AS id, d.deliveredAt.epochMillis AS at, d.uid AS uid
