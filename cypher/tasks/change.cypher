// Moves locked tasks to other states, each with its event. Parameters: changes (a list of {task, from, to, assignee, ends, by, at, note}). Rows: task, version.
UNWIND $changes AS c
MATCH (t:Task {id: c.task})
SET t.state = c.to, t.assignee = c.assignee, t.version = t.version + 1, t.updatedAt = c.at,
    t.open = CASE WHEN c.ends THEN null ELSE t.open END
REMOVE t.unclaimed
CREATE (t)-[:HAS_EVENT]->(:TaskEvent {
  task: c.task, seq: t.version, from: c.from, to: c.to, by: c.by, at: c.at, note: c.note
})
RETURN c.task AS task, t.version AS version
