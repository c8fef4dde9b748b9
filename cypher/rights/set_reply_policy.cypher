// Sets to whom identities may write directly, for the whole deployment. Parameters: policy, at. Rows: replyPolicy.
MERGE (p:MailPolicy {name: 'mail'})
SET p.replyPolicy = $policy, p.changedAt = $at
RETURN p.replyPolicy AS replyPolicy
