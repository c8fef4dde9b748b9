// Schema 4: the full-text index over messages, with whose mail they are and when they were sent as words beside the text; messages from before get these words, in batches that begin after the id $after.
CREATE FULLTEXT INDEX message_text IF NOT EXISTS
  FOR (n:Message) ON EACH [n.subject, n.bodyText, n.readers, n.moments]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
MATCH (m:Message)
USING INDEX SEEK m:Message(id)
WHERE m.id > $after
WITH m ORDER BY m.id LIMIT 500
CALL (m) {
  MATCH (m)-[s:SENT_BY]->()
  RETURN 's' AS how, s.sender AS address
  UNION
  MATCH (m)-[d:DELIVERED_TO]->()
  RETURN 'd' AS how, d.mailbox AS address
}
WITH m, how + reduce(hex = '', letter IN split(address, '') | hex + {
  `-`: '2d', `.`: '2e', `:`: '3a', `@`: '40', `_`: '5f',
  `0`: '30', `1`: '31', `2`: '32', `3`: '33', `4`: '34', `5`: '35', `6`: '36', `7`: '37', `8`: '38', `9`: '39',
  a: '61', b: '62', c: '63', d: '64', e: '65', f: '66', g: '67', h: '68', i: '69', j: '6a', k: '6b', l: '6c', m: '6d',
  n: '6e', o: '6f', p: '70', q: '71', r: '72', s: '73', t: '74', u: '75', v: '76', w: '77', x: '78', y: '79', z: '7a'
}[letter]) AS token ORDER BY token
WITH m, collect(token) AS tokens
SET m.readers = CASE WHEN m.retractedAt IS NULL THEN tokens ELSE [] END,
    m.moments = [length IN range(2, 12) | substring(m.id, 4, length)]
RETURN max(m.id) AS last;
