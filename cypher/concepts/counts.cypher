// How many entries of a mailbox's inbox are filed under each concept or an alias of it, and how many of them unread, counted no further than most for each name? Parameters: mailbox, names, most. Rows: name, entries, unread.
UNWIND $names AS name
MATCH (c:Concept {name: name})
WITH name, [name] + COLLECT { MATCH (a:Concept)-[:ALIAS_OF]->(c) RETURN a.name } AS names
CALL (names) {
  UNWIND names AS concept
  CALL (concept) {
    MATCH ()-[f:FILED_UNDER]->()
    USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
    WHERE f.mailbox = $mailbox AND f.folder = 'INBOX' AND f.concept = concept AND f.uid > 0
    WITH f LIMIT $most
    RETURN f.uid AS uid
  }
  RETURN count(DISTINCT uid) AS entries
}
CALL (names) {
  UNWIND names AS concept
  CALL (concept) {
    MATCH ()-[f:FILED_UNDER]->()
    USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, unread, uid)
    WHERE f.mailbox = $mailbox AND f.folder = 'INBOX' AND f.concept = concept AND f.unread = true AND f.uid > 0
    WITH f LIMIT $most
    RETURN f.uid AS uid
  }
  RETURN count(DISTINCT uid) AS unread
}
RETURN name, entries, unread
