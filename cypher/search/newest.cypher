// Where a search begins and ends: the newest messages of all below an id, which tell how densely mail came, and the first message there is. Parameters: before (an id), sample (how many). Rows: one with newest, oldest (of the sample) and first, ids; null where there is none.
CALL () {
  MATCH (m:Message)
  USING INDEX SEEK m:Message(id)
  WHERE m.id < $before
  WITH m.id AS id ORDER BY m.id DESC LIMIT $sample
  RETURN max(id) AS newest, min(id) AS oldest
}
CALL () {
  MATCH (m:Message)
  USING INDEX SEEK m:Message(id)
  WHERE m.id > ''
  WITH m.id AS id ORDER BY m.id LIMIT 1
  RETURN min(id) AS first
}
RETURN newest, oldest, first
