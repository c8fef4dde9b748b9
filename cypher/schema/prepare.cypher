// Makes the lock that two starting processes meet at unique. No parameters, no rows.
CREATE CONSTRAINT schema_lock_name IF NOT EXISTS FOR (n:SchemaLock) REQUIRE n.name IS UNIQUE
