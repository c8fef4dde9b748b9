// Schema 2: imported mail that answers one which has not arrived is found by the Message-ID it waits for.
CREATE INDEX message_missing_parent IF NOT EXISTS FOR (n:Message) ON (n.missingParent);
