// Locks a mailbox until the transaction ends, and tells how far it is. Parameters: mailbox. Rows: state, uidNext, floor.
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
RETURN b.modseq AS state, b.uidNext AS uidNext, coalesce(b.floor, 0) AS floor
