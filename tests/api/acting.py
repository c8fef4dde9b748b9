"""What a test does besides sending: operations of roles, rights and queues, each as its user would write it."""

REGISTER = """
mutation($input: RegisterAgentInput!) {
  registerAgent(input: $input) { agent { handle family status } key refusal { code field message candidates } }
}
"""
SET_STATUS = """
mutation($agent: Address!, $status: IdentityStatus!) {
  setAgentStatus(agent: $agent, status: $status) { agent { handle status } refusal { code field message candidates } }
}
"""
CREATE_ROLE = """
mutation($input: CreateRoleInput!) {
  createRole(input: $input) {
    role { id address description delivery members { handle } } refusal { code field message candidates }
  }
}
"""
ADD_MEMBER = """
mutation($role: Address!, $agent: Address!) {
  addRoleMember(role: $role, agent: $agent) { role { members { handle } } refusal { code field message candidates } }
}
"""
REMOVE_MEMBER = """
mutation($role: Address!, $agent: Address!) {
  removeRoleMember(role: $role, agent: $agent) { role { members { handle } } refusal { code field message candidates } }
}
"""
GRANT = """
mutation($agent: Address!, $permission: Permission!, $mailbox: Address = "@self") {
  grantPermission(agent: $agent, permission: $permission, mailbox: $mailbox) {
    right { agent { handle } kind mailbox since } refusal { code field message candidates }
  }
}
"""
REVOKE = """
mutation($agent: Address!, $permission: Permission!, $mailbox: Address = "@self") {
  revokePermission(agent: $agent, permission: $permission, mailbox: $mailbox) {
    changed refusal { code field message candidates }
  }
}
"""
BLOCK = """
mutation($agent: Address!, $mailbox: Address = "@self") {
  block(agent: $agent, mailbox: $mailbox) {
    right { agent { handle } kind mailbox since } refusal { code field message candidates }
  }
}
"""
UNBLOCK = """
mutation($agent: Address!, $mailbox: Address = "@self") {
  unblock(agent: $agent, mailbox: $mailbox) { changed refusal { code field message candidates } }
}
"""
PERMISSIONS = """
query($direction: RightDirection = GIVEN, $first: Int = 20, $after: String, $mailbox: Address = "@self") {
  permissions(direction: $direction, first: $first, after: $after, mailbox: $mailbox) {
    edges { cursor node { agent { handle } kind mailbox since } } pageInfo { hasNextPage endCursor }
  }
}
"""
SET_POLICY = """
mutation($policy: ReplyPolicy!) { setReplyPolicy(policy: $policy) { replyPolicy refusal { code field message } } }
"""
MAILBOX = """
query($mailbox: Address!, $filter: InboxFilter) {
  inbox(first: 100, mailbox: $mailbox, filter: $filter) {
    edges { node { unread via readAt claim { by { handle } until finishedAt } message { id subject } } }
    unreadCount totalCount
  }
}
"""
CLAIM = """
mutation($mailbox: Address!, $id: ID, $leaseSeconds: Int = 600) {
  claimEntry(mailbox: $mailbox, id: $id, leaseSeconds: $leaseSeconds) {
    claim { token until mailbox message { id subject bodyText } } refusal { code field message retryable }
  }
}
"""
RENEW = """
mutation($mailbox: Address!, $id: ID!, $token: String!, $leaseSeconds: Int = 600) {
  renewClaim(mailbox: $mailbox, id: $id, token: $token, leaseSeconds: $leaseSeconds) {
    claim { token until } refusal { code field message }
  }
}
"""
RELEASE = """
mutation($mailbox: Address!, $id: ID!, $token: String!) {
  releaseClaim(mailbox: $mailbox, id: $id, token: $token) { message { id } refusal { code field message } }
}
"""
FINISH = """
mutation($mailbox: Address!, $id: ID!, $token: String!) {
  finishClaim(mailbox: $mailbox, id: $id, token: $token) { message { id } refusal { code field message } }
}
"""
