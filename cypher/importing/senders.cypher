// Makes sure that each sender of imported mail has an identity; one that is there stays as it is. Parameters: senders (a list of {handle, displayName} in handle order), at. Rows: handle, imported (false: somebody registered it here).
UNWIND $senders AS s
MERGE (a:AgentIdentity {handle: s.handle})
ON CREATE SET a:Mailbox, a.address = s.handle, a.displayName = s.displayName, a.kind = 'HUMAN', a.status = 'ACTIVE',
  a.imported = true, a.createdAt = $at, a.uidNext = 1, a.modseq = 0, a.unreadCount = 0
RETURN a.handle AS handle, coalesce(a.imported, false) AS imported
