// Makes a message that waited for a mail an answer to it though it came into another thread, and the message's own thread a fork off it if it is none yet, unless that mail answers it in turn. Parameters: waiting, parent (ids). Rows: id of the message that answers now.
MATCH (c:Message {id: $waiting})-[:PART_OF_THREAD]->(t:Thread)
MATCH (p:Message {id: $parent})
WITH c, t, p, EXISTS { (p)-[:IN_REPLY_TO*]->(c) } AS circle, EXISTS { (t)-[:FORKED_FROM]->() } AS fork
WHERE NOT circle
REMOVE c.missingParent
CREATE (c)-[:IN_REPLY_TO {parent: $parent, messageId: $waiting}]->(p)
FOREACH (_ IN CASE WHEN fork THEN [] ELSE [1] END | CREATE (t)-[:FORKED_FROM]->(p))
RETURN c.id AS id
