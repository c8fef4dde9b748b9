// How many messages did a sender send with one of the tags of each group, and to an address, in a span of time, counted no further than 1,000 for each name? Parameters: sender, groups (lists of names), to (addresses, one or none), beforeTime, since. Rows: position (of the group, from 0; -1 for the address), sent.
CALL () {
  UNWIND range(0, size($groups) - 1) AS position
  CALL (position) {
    UNWIND $groups[position] AS concept
    CALL (concept) {
      MATCH ()-[t:TAGGED_CONCEPT]->()
      USING INDEX SEEK t:TAGGED_CONCEPT(sender, concept, createdAt, messageId)
      WHERE t.sender = $sender AND t.concept = concept
        AND t.createdAt <= $beforeTime AND t.createdAt >= $since AND t.messageId > ''
      WITH t LIMIT 1000
      RETURN count(t) AS counted
    }
    RETURN sum(counted) AS sent
  }
  RETURN position, sent
  UNION
  UNWIND $to AS address
  CALL (address) {
    MATCH ()-[t:SENT_TO]->()
    USING INDEX SEEK t:SENT_TO(sender, address, createdAt, messageId)
    WHERE t.sender = $sender AND t.address = address
      AND t.createdAt <= $beforeTime AND t.createdAt >= $since AND t.messageId > ''
    WITH t LIMIT 1000
    RETURN count(t) AS sent
  }
  RETURN -1 AS position, sent
}
RETURN position, sent
