// The addresses of roles, which mail among agents may have come by. Parameters: limit. Rows: address; in order.
MATCH (r:Role)
USING INDEX SEEK r:Role(address)
WHERE r.address > ''
RETURN r.address AS address
ORDER BY address LIMIT $limit
