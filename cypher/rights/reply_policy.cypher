// To whom may identities write directly? No parameters. Rows: replyPolicy; none while it was never set.
MATCH (p:MailPolicy {name: 'mail'})
RETURN p.replyPolicy AS replyPolicy
