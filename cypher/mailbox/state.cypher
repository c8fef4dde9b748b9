// How far is a mailbox? Parameters: mailbox. Rows: state, uidNext, floor, unreadCount.
MATCH (b:Mailbox {address: $mailbox})
RETURN b.modseq AS state, b.uidNext AS uidNext, coalesce(b.floor, 0) AS floor, b.unreadCount AS unreadCount
