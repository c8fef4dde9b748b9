// Takes these messages out of every mailbox, all of them locked; older states of those mailboxes are too old from now on. Parameters: ids. Rows: address (of a mailbox), entries (how many it lost).
CALL () {
  UNWIND $ids AS id
  MATCH (:Message {id: id})-[f:FILED_UNDER]->()
  DELETE f
  RETURN count(*) AS filed
}
UNWIND $ids AS id
MATCH (:Message {id: id})-[d:DELIVERED_TO]->(b)
WITH b, b.modseq + 1 AS modseq, collect(d) AS entries,
  sum(CASE WHEN d.unread AND d.folder = 'INBOX' THEN 1 ELSE 0 END) AS unread
SET b.modseq = modseq, b.floor = modseq, b.unreadCount = b.unreadCount - unread
FOREACH (d IN entries | DELETE d)
RETURN b.address AS address, size(entries) AS entries
