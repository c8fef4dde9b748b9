// Where in the graph are these nodes? Parameters: ids (of messages, threads, sessions, memories and tasks), handles, roles (addresses), concepts (names), tickets (keys). Rows: id (as the API has it), element.
CALL () {
  UNWIND $ids AS id
  MATCH (n:Message {id: id})
  RETURN id, n
  UNION ALL
  UNWIND $ids AS id
  MATCH (n:Thread {id: id})
  RETURN id, n
  UNION ALL
  UNWIND $ids AS id
  MATCH (n:Session {id: id})
  RETURN id, n
  UNION ALL
  UNWIND $ids AS id
  MATCH (n:Memory {id: id})
  RETURN id, n
  UNION ALL
  UNWIND $ids AS id
  MATCH (n:Task {id: id})
  RETURN id, n
  UNION ALL
  UNWIND $handles AS id
  MATCH (n:AgentIdentity {handle: id})
  RETURN id, n
  UNION ALL
  UNWIND $roles AS id
  MATCH (n:Role {address: id})
  RETURN id, n
  UNION ALL
  UNWIND $concepts AS name
  MATCH (n:Concept {name: name})
  RETURN 'concept:' + name AS id, n
  UNION ALL
  UNWIND $tickets AS key
  MATCH (n:Ticket {key: key})
  RETURN 'ticket:' + key AS id, n
}
RETURN id, elementId(n) AS element
