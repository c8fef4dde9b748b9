// Schema 1: the keys of every node, the mailbox entry on its delivery edge, its tag index, and the sender's history.
CREATE CONSTRAINT agent_identity_handle IF NOT EXISTS FOR (n:AgentIdentity) REQUIRE n.handle IS UNIQUE;
CREATE CONSTRAINT mailbox_address IF NOT EXISTS FOR (n:Mailbox) REQUIRE n.address IS UNIQUE;
CREATE CONSTRAINT role_address IF NOT EXISTS FOR (n:Role) REQUIRE n.address IS UNIQUE;
CREATE CONSTRAINT broadcast_address IF NOT EXISTS FOR (n:Broadcast) REQUIRE n.address IS UNIQUE;
CREATE CONSTRAINT message_id IF NOT EXISTS FOR (n:Message) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT thread_id IF NOT EXISTS FOR (n:Thread) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (n:Session) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT session_external IF NOT EXISTS FOR (n:Session) REQUIRE (n.agent, n.externalId) IS UNIQUE;
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (n:Memory) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT concept_name IF NOT EXISTS FOR (n:Concept) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT ticket_key IF NOT EXISTS FOR (n:Ticket) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT credential_id IF NOT EXISTS FOR (n:Credential) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT credential_digest IF NOT EXISTS FOR (n:Credential) REQUIRE n.digest IS UNIQUE;
CREATE CONSTRAINT delivered_to_entry IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() REQUIRE (r.mailbox, r.uid) IS UNIQUE;
CREATE CONSTRAINT sent_by_idempotency IF NOT EXISTS FOR ()-[r:SENT_BY]-() REQUIRE (r.sender, r.idempotencyKey) IS UNIQUE;
CREATE CONSTRAINT remembered_by_idempotency IF NOT EXISTS
  FOR ()-[r:REMEMBERED_BY]-() REQUIRE (r.agent, r.idempotencyKey) IS UNIQUE;
CREATE CONSTRAINT delivered_to_message IF NOT EXISTS
  FOR ()-[r:DELIVERED_TO]-() REQUIRE (r.mailbox, r.messageId) IS UNIQUE;
CREATE INDEX delivered_to_folder IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() ON (r.mailbox, r.folder, r.uid);
CREATE INDEX delivered_to_unread IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() ON (r.mailbox, r.folder, r.unread, r.uid);
CREATE INDEX delivered_to_sender IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() ON (r.mailbox, r.sender, r.uid);
CREATE INDEX delivered_to_thread IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() ON (r.mailbox, r.thread, r.uid);
CREATE INDEX delivered_to_modseq IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() ON (r.mailbox, r.modseq);
CREATE INDEX delivered_to_pending IF NOT EXISTS FOR ()-[r:DELIVERED_TO]-() ON (r.mailbox, r.pending, r.uid);
CREATE INDEX filed_under_folder IF NOT EXISTS FOR ()-[r:FILED_UNDER]-() ON (r.mailbox, r.folder, r.concept, r.uid);
CREATE INDEX filed_under_unread IF NOT EXISTS
  FOR ()-[r:FILED_UNDER]-() ON (r.mailbox, r.folder, r.concept, r.unread, r.uid);
CREATE INDEX sent_by_history IF NOT EXISTS FOR ()-[r:SENT_BY]-() ON (r.sender, r.createdAt, r.messageId);
CREATE INDEX part_of_thread_order IF NOT EXISTS FOR ()-[r:PART_OF_THREAD]-() ON (r.thread, r.messageId);
CREATE INDEX message_mail_id IF NOT EXISTS FOR (n:Message) ON (n.mailId);
MERGE (:Broadcast {address: '@all'});
