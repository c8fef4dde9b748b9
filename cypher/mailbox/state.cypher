// How far is a mailbox? Parameters: mailbox. Rows: state, unreadCount.
MATCH (b:Mailbox {address: $mailbox})
RETURN b.modseq AS state, b.unreadCount AS unreadCount
