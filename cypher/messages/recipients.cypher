// To whom messages already found to be the reader's to see were addressed, as written. Parameters: ids. Rows: id, address, kind; To before Cc, each by address.
UNWIND $ids AS id
MATCH (m:Message {id: id})-[t:SENT_TO]->(r)
RETURN m.id AS id, r.address AS address, t.kind AS kind
ORDER BY id, kind DESC, address
