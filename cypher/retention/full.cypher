// Which mailboxes ever got more entries than may be kept? Parameters: keep. Rows: address; in order.
MATCH (b:Mailbox)
USING INDEX SEEK b:Mailbox(address)
WHERE b.address > '' AND b.uidNext > $keep + 1
RETURN b.address AS address
ORDER BY address
