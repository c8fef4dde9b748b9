// Takes these messages out of one locked mailbox, and that mailbox out of the words that a search finds them by; its older states are too old from now on. Parameters: mailbox, token (the word of the mailbox), ids. Rows: address, entries (how many it lost); none when it held none of them.
CALL () {
  UNWIND $ids AS id
  MATCH ()-[d:DELIVERED_TO]->()
  USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
  WHERE d.mailbox = $mailbox AND d.messageId = id
  MATCH ()-[f:FILED_UNDER]->()
  USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
  WHERE f.mailbox = $mailbox AND f.folder = d.folder AND f.concept IN d.tags AND f.uid = d.uid
  DELETE f
  RETURN count(*) AS filed
}
MATCH (b:Mailbox {address: $mailbox})
UNWIND $ids AS id
MATCH (m)-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id
SET m.readers = [word IN m.readers WHERE word <> $token]
WITH b, b.modseq + 1 AS modseq, collect(d) AS entries,
  sum(CASE WHEN d.unread AND d.folder = 'INBOX' THEN 1 ELSE 0 END) AS unread
SET b.modseq = modseq, b.floor = modseq, b.unreadCount = b.unreadCount - unread
FOREACH (d IN entries | DELETE d)
RETURN b.address AS address, size(entries) AS entries
