// Which thread is a message in, if the reader may see it? Parameters: id, reader. Rows: thread.
MATCH (m:Message {id: $id})-[s:SENT_BY]->()
WHERE s.sender = $reader OR EXISTS { (m)-[d:DELIVERED_TO]->() WHERE d.mailbox = $reader }
MATCH (m)-[p:PART_OF_THREAD]->()
RETURN p.thread AS thread
