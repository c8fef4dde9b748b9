// Schema 5: tasks, at most one to a message; their events in order; each party's tasks; what is unclaimed; what the clock may end.
CREATE CONSTRAINT task_id IF NOT EXISTS FOR (n:Task) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT task_message IF NOT EXISTS FOR (n:Task) REQUIRE n.message IS UNIQUE;
CREATE CONSTRAINT task_event_order IF NOT EXISTS FOR (n:TaskEvent) REQUIRE (n.task, n.seq) IS UNIQUE;
CREATE INDEX task_assignee IF NOT EXISTS FOR (n:Task) ON (n.assignee, n.state, n.id);
CREATE INDEX task_originator IF NOT EXISTS FOR (n:Task) ON (n.originator, n.state, n.id);
CREATE INDEX task_unclaimed IF NOT EXISTS FOR (n:Task) ON (n.unclaimed, n.id);
CREATE INDEX task_open IF NOT EXISTS FOR (n:Task) ON (n.open, n.expiresAt);
