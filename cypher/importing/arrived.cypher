// Puts a message under the mail that it waited for, instead of under an older ancestor or none, unless that mail answers it in turn. Parameters: waiting, parent (ids). Rows: id of the message that moved.
MATCH (c:Message {id: $waiting})
MATCH (p:Message {id: $parent})
WITH c, p, EXISTS { (p)-[:IN_REPLY_TO*]->(c) } AS circle
REMOVE c.missingParent
WITH c, p WHERE NOT circle
OPTIONAL MATCH (c)-[before:IN_REPLY_TO]->()
DELETE before
CREATE (c)-[:IN_REPLY_TO {parent: $parent, messageId: $waiting}]->(p)
RETURN c.id AS id
