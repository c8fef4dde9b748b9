// Schema 3: families by which agents are addressed, the audience of a broadcast, and the mail policy of the deployment.
CREATE INDEX agent_identity_family IF NOT EXISTS FOR (n:AgentIdentity) ON (n.family);
CREATE INDEX agent_identity_audience IF NOT EXISTS FOR (n:AgentIdentity) ON (n.kind, n.status);
CREATE CONSTRAINT mail_policy_name IF NOT EXISTS FOR (n:MailPolicy) REQUIRE n.name IS UNIQUE;
