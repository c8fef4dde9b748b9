// The newest entry of a mailbox that is one too many. Parameters: mailbox, keep (entries). Rows: uid; none when there are not so many.
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, uid)
WHERE d.mailbox = $mailbox AND d.uid < 9007199254740991
RETURN d.uid AS uid
ORDER BY d.mailbox DESC, d.uid DESC SKIP $keep LIMIT 1
