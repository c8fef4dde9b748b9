// The roles of these addresses. Parameters: addresses. Rows: address, description, delivery, createdAt; none for an unknown one.
MATCH (r:Role) WHERE r.address IN $addresses
RETURN r.address AS address, r.description AS description, r.delivery AS delivery, r.createdAt.epochMillis AS createdAt
