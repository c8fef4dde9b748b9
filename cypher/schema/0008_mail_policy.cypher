// Schema 8: the mail policy is there from the start. A writing query that looks a unique key up and finds nothing holds that key for itself until it commits, so that without this node every send waited for every other.
MERGE (p:MailPolicy {name: 'mail'}) ON CREATE SET p.replyPolicy = 'OPEN';
