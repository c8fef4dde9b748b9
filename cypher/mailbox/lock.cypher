// Locks a mailbox until the transaction ends. Parameters: mailbox. Rows: state.
MATCH (b:Mailbox {address: $mailbox})
SET b.lock = 1
RETURN b.modseq AS state
