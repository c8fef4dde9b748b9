// The bodies of messages already found to be the reader's to see. Parameters: ids. Rows: id, bodyText.
UNWIND $ids AS id
MATCH (m:Message {id: id})
RETURN m.id AS id, m.bodyText AS bodyText
