// Schema 7: what retention leaves of messages that others hang on is found without reading the messages.
CREATE INDEX message_expunged IF NOT EXISTS FOR (n:Message) ON (n.expungedAt);
