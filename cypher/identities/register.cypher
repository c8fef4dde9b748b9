// Creates an identity and its mailbox. Parameters: handle, displayName, kind, at. Rows: handle.
CREATE (a:AgentIdentity:Mailbox {
  handle: $handle, address: $handle, displayName: $displayName, kind: $kind, status: 'ACTIVE', createdAt: $at,
  uidNext: 1, modseq: 0, unreadCount: 0
})
RETURN a.handle AS handle
