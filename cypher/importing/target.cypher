// Whose mailbox is this? Parameters: address. Rows: address; none for an unknown one.
MATCH (b:Mailbox {address: $address})
RETURN b.address AS address
