// How are a locked mailbox's entries of these messages marked? Parameters: mailbox, ids (of messages, each once). Rows: message, uid, modseq, folder, unread, seen; none for a message that is not in it.
UNWIND $ids AS id
MATCH ()-[d:DELIVERED_TO]->()
USING INDEX SEEK d:DELIVERED_TO(mailbox, messageId)
WHERE d.mailbox = $mailbox AND d.messageId = id
RETURN d.messageId AS message, d.uid AS uid, d.modseq AS modseq, d.folder AS folder,
  coalesce(d.unread, false) AS unread, d.seenAt IS NOT NULL AS seen
