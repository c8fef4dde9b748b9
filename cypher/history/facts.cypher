// What figures are made of, of messages already found to be the reader's to see. Parameters: ids. Rows: id, createdAt, sender, thread, kind, expectsReply, tags, recipients (addresses as written).
UNWIND $ids AS id
MATCH (m:Message {id: id})-[s:SENT_BY]->()
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN id, m.createdAt.epochMillis AS createdAt, s.sender AS sender, p.thread AS thread, m.kind AS kind,
  m.expectsReply AS expectsReply, m.tags AS tags, [(m)-[t:SENT_TO]->() | t.address] AS recipients
