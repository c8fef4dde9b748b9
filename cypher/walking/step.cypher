// What lies one step from each node, by relationship type, and where the reading stopped; whether the reader may see it is another question. Parameters: nodes (element ids), outgoing, incoming (types to walk), reader, mailboxes, everything, own (whose edges are left out of SENT_TO and TAGGED_CONCEPT, since an index serves them; null: nobody's), most (edges to read of each type), direction, type, before (the place to go on from: OUT before IN, then by type, then ids downwards), window (of each type). Rows: node, direction, type, scanned, found (each with id, label, element, at).
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node
CALL (n) {
  MATCH (n)-[r:SENT_BY|PART_OF_THREAD|SENT_TO|TAGGED_CONCEPT|IN_REPLY_TO|FORKED_FROM|ORIGINATES_IN|RELATED_SESSION|ACCEPTED_BY|RECORDED_IN|REFERENCES_TICKET|REFERENCES_MEMORY|CARRIES_TASK|BROADER|HELD_BY|REMEMBERED_BY|HAS_ROLE|CAN_READ_INBOX_OF|CAN_REPLY_TO|BLOCKED_BY]->(x)
  WHERE type(r) IN $outgoing AND NOT x:Broadcast
  RETURN 'OUT' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n
  WHERE 'DELIVERED_TO' IN $outgoing AND ($everything OR EXISTS { (n)-[s:SENT_BY]->() WHERE s.sender = $reader })
  MATCH (n)-[r:DELIVERED_TO]->(x)
  RETURN 'OUT' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n
  WHERE 'DELIVERED_TO' IN $outgoing AND NOT $everything AND NOT EXISTS { (n)-[s:SENT_BY]->() WHERE s.sender = $reader }
  MATCH ()-[r:DELIVERED_TO]->(x)
  USING INDEX SEEK r:DELIVERED_TO(mailbox, messageId)
  WHERE r.mailbox IN $mailboxes AND r.messageId = n.id
  RETURN 'OUT' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'SENT_BY' IN $incoming
  MATCH (n)<-[r:SENT_BY]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'DELIVERED_TO' IN $incoming
  MATCH (n)<-[r:DELIVERED_TO]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'PART_OF_THREAD' IN $incoming
  MATCH (n)<-[r:PART_OF_THREAD]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'SENT_TO' IN $incoming
  MATCH (n)<-[r:SENT_TO]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'TAGGED_CONCEPT' IN $incoming
  MATCH (n)<-[r:TAGGED_CONCEPT]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'IN_REPLY_TO' IN $incoming
  MATCH (n)<-[r:IN_REPLY_TO]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'FORKED_FROM' IN $incoming
  MATCH (n)<-[r:FORKED_FROM]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'ORIGINATES_IN' IN $incoming
  MATCH (n)<-[r:ORIGINATES_IN]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'RELATED_SESSION' IN $incoming
  MATCH (n)<-[r:RELATED_SESSION]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'ACCEPTED_BY' IN $incoming
  MATCH (n)<-[r:ACCEPTED_BY]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'RECORDED_IN' IN $incoming
  MATCH (n)<-[r:RECORDED_IN]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'REFERENCES_TICKET' IN $incoming
  MATCH (n)<-[r:REFERENCES_TICKET]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'REFERENCES_MEMORY' IN $incoming
  MATCH (n)<-[r:REFERENCES_MEMORY]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'CARRIES_TASK' IN $incoming
  MATCH (n)<-[r:CARRIES_TASK]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'BROADER' IN $incoming
  MATCH (n)<-[r:BROADER]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'HELD_BY' IN $incoming
  MATCH (n)<-[r:HELD_BY]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'REMEMBERED_BY' IN $incoming
  MATCH (n)<-[r:REMEMBERED_BY]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'HAS_ROLE' IN $incoming
  MATCH (n)<-[r:HAS_ROLE]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'CAN_READ_INBOX_OF' IN $incoming
  MATCH (n)<-[r:CAN_READ_INBOX_OF]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'CAN_REPLY_TO' IN $incoming
  MATCH (n)<-[r:CAN_REPLY_TO]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
  UNION ALL
  WITH n WHERE 'BLOCKED_BY' IN $incoming
  MATCH (n)<-[r:BLOCKED_BY]-(x)
  RETURN 'IN' AS direction, r, x LIMIT $most
}
WITH node, direction, type(r) AS type, r, x, coalesce(x.handle, x.id, 'ticket:' + x.key, x.address, 'concept:' + x.name) AS id
ORDER BY id DESC
WITH node, direction, type, count(*) AS scanned,
  collect(CASE WHEN (direction < $direction
      OR (direction = $direction AND (type > $type OR (type = $type AND id < $before))))
    AND NOT (direction = 'IN' AND type IN ['SENT_TO', 'TAGGED_CONCEPT'] AND coalesce(r.sender = $own, false))
    THEN {id: id, r: r, x: x}
  END)[..$window] AS found
RETURN node, direction, type, scanned, [one IN found | {
  id: one.id,
  label: head([label IN labels(one.x) WHERE label <> 'Mailbox']),
  element: elementId(one.x),
  at: coalesce(
    one.r.createdAt, one.r.deliveredAt, one.r.acceptedAt, one.r.since,
    startNode(one.r).createdAt, startNode(one.r).startedAt
  ).epochMillis
}] AS found
ORDER BY node, direction DESC, type
