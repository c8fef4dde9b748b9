// The entries of a mailbox below a uid, the newest first, and whether the message of each must stay. Parameters: mailbox, before (a uid), exceptTags, window (entries to scan). Rows: id (of the message), uid, entries (how many mailboxes hold it), kept (never deleted).
MATCH (m)-[e:DELIVERED_TO]->()
USING INDEX SEEK e:DELIVERED_TO(mailbox, uid)
WHERE e.mailbox = $mailbox AND e.uid < $before
WITH m, e ORDER BY e.mailbox DESC, e.uid DESC LIMIT $window
RETURN e.messageId AS id, e.uid AS uid, COUNT { (m)-[:DELIVERED_TO]->() } AS entries,
  EXISTS { (m)-[:CARRIES_TASK]->(t) WHERE t.open IS NOT NULL }
  OR EXISTS { (m)-[:TAGGED_CONCEPT]->(c) WHERE c.name IN $exceptTags }
  OR EXISTS { (m)-[d:DELIVERED_TO]->() WHERE d.pending OR any(tag IN d.tags WHERE tag IN $exceptTags) } AS kept
ORDER BY uid DESC
