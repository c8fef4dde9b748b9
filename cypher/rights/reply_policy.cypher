// To whom may identities write directly? No parameters. Rows: replyPolicy.
MATCH (p:MailPolicy {name: 'mail'})
RETURN p.replyPolicy AS replyPolicy
