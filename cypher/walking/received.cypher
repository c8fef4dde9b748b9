// What came from a sender into one mailbox and into none of the earlier ones, newest first. Parameters: mailbox, earlier (mailboxes), sender, before (a uid), window. Rows: id, at (when it was sent), uid.
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, sender, uid)
WHERE d.mailbox = $mailbox AND d.sender = $sender AND d.uid < $before
WITH m, d ORDER BY d.mailbox DESC, d.sender DESC, d.uid DESC LIMIT $window
WITH m, d.messageId AS id, d.uid AS uid
RETURN CASE WHEN NOT EXISTS {
  MATCH ()-[e:DELIVERED_TO]->()
  USING INDEX SEEK e:DELIVERED_TO(mailbox, messageId)
  WHERE e.mailbox IN $earlier AND e.messageId = id
} THEN id END AS id, m.createdAt.epochMillis AS at, uid
ORDER BY uid DESC
