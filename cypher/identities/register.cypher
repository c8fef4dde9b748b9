// Creates an identity and its mailbox. Parameters: handle, displayName, kind, family, at. Rows: handle.
CREATE (a:AgentIdentity:Mailbox {
  handle: $handle, address: $handle, displayName: $displayName, kind: $kind, family: $family, status: 'ACTIVE', createdAt: $at,
  uidNext: 1, modseq: 0, unreadCount: 0
})
RETURN a.handle AS handle
