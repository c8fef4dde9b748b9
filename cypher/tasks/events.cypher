// The events of tasks already found to be the reader's to see, oldest first. Parameters: ids, after (a seq), limit (for each). Rows: task, seq, from, to, by, at, note.
UNWIND $ids AS task
CALL (task) {
  MATCH (e:TaskEvent)
  USING INDEX SEEK e:TaskEvent(task, seq)
  WHERE e.task = task AND e.seq > $after
  RETURN e ORDER BY e.task, e.seq LIMIT $limit
}
RETURN task, e.seq AS seq, e.from AS from, e.to AS to, e.by AS by, e.at.epochMillis AS at, e.note AS note
