// How many entries of a mailbox are filed under one of the names of each group, counted no further than 1,000 for each name? Parameters: mailbox, folders, groups (lists of names), before (a uid). Rows: position (of the group, from 0), filed.
UNWIND range(0, size($groups) - 1) AS position
CALL (position) {
  UNWIND $folders AS folder
  UNWIND $groups[position] AS concept
  CALL (folder, concept) {
    MATCH ()-[f:FILED_UNDER]->()
    USING INDEX SEEK f:FILED_UNDER(mailbox, folder, concept, uid)
    WHERE f.mailbox = $mailbox AND f.folder = folder AND f.concept = concept AND f.uid < $before
    WITH f LIMIT 1000
    RETURN count(f) AS counted
  }
  RETURN sum(counted) AS filed
}
RETURN position, filed
