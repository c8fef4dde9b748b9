// The roles, by address. Parameters: after (an address, or empty), limit. Rows: address, description, delivery, createdAt.
MATCH (r:Role) WHERE r.address > $after
RETURN r.address AS address, r.description AS description, r.delivery AS delivery, r.createdAt.epochMillis AS createdAt
ORDER BY r.address LIMIT $limit
