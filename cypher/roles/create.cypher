// Creates a role and its mailbox. Parameters: address, description, delivery, at. Rows: address.
CREATE (r:Role:Mailbox {
  address: $address, description: $description, delivery: $delivery, createdAt: $at,
  uidNext: 1, modseq: 0, unreadCount: 0
})
RETURN r.address AS address
