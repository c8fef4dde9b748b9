// Locks mailboxes in address order, then threads in id order, until the transaction ends. Parameters: addresses, threads. Rows: one with boxes and threads, how many were locked.
CALL () {
  MATCH (b:Mailbox) WHERE b.address IN $addresses
  WITH b ORDER BY b.address
  SET b.lock = 1
  RETURN count(b) AS boxes
}
CALL (boxes) {
  MATCH (t:Thread) WHERE t.id IN $threads
  WITH t ORDER BY t.id
  SET t.lock = 1
  RETURN count(t) AS threads
}
RETURN boxes, threads
