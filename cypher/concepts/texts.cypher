// What do these messages say, and which ontology is it to be read by? Parameters: ids (of messages), characters (of the body). Rows: version (of the ontology), id, subject, body; none for a message that is not there or was retracted.
MATCH (o:Ontology {name: 'ontology'})
UNWIND $ids AS id
MATCH (m:Message {id: id}) WHERE m.retractedAt IS NULL
RETURN o.version AS version, m.id AS id, m.subject AS subject, left(m.bodyText, $characters) AS body
