"""A caller of the API: somebody with a key (or with none), who speaks GraphQL over HTTP."""

import json
from dataclasses import dataclass
from typing import Any

import httpx

Data = dict[str, Any]

SEND = """
mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) {
    message { id subject bodyText tags sender { handle } recipients { address kind } thread { id } }
    duplicate
    refusal { code message field retryable candidates }
  }
}
"""
INBOX = """
query Inbox($first: Int = 20, $after: String, $filter: InboxFilter) {
  inbox(first: $first, after: $after, filter: $filter) {
    edges { cursor node {
      uid unread deliveredAt readAt via tags
      message { id subject tags sender { handle } thread { id } }
    } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount totalCapped unreadCount state notice
  }
}
"""
THREAD = """
query Thread($id: ID!, $first: Int = 100, $after: String) {
  thread(id: $id) {
    id subject messageCount participants { handle }
    forkedFrom { id } forks { id }
    messages(first: $first, after: $after) {
      edges { cursor node { depth parent hidden message { id subject } } }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
}
"""
MARK_READ = """
mutation MarkRead($ids: [ID!]) {
  markRead(ids: $ids) {
    results { id delivery { unread readAt } refusal { code field message } }
    state
    refusal { code field message }
  }
}
"""
MARK = """
mutation Mark($ids: [ID!], $upTo: String, $includeUnseen: Boolean = false, $ifInState: String) {
  %s(ids: $ids, upTo: $upTo, includeUnseen: $includeUnseen, ifInState: $ifInState) {
    results { id delivery { uid unread readAt archivedAt message { id } } refusal { code field message } }
    state matchedCount changedCount withheldUnseenCount
    refusal { code field message }
  }
}
"""
CHANGES = """
query Changes($since: String!, $first: Int = 100, $mailbox: Address = "@self") {
  mailboxChanges(since: $since, first: $first, mailbox: $mailbox) {
    created { ...entry } changed { ...entry } hasMore newState notice refusal { code field message }
  }
}
fragment entry on Delivery { uid unread readAt archivedAt tags message { id subject retracted } }
"""
RETRACT = """
mutation Retract($id: ID!) {
  retractMessage(id: $id) { message { id subject bodyText retracted } refusal { code field message } }
}
"""
HANDOVER_FIELDS = """
fragment handover on Handover {
  pending acceptedAt acceptedBy { externalId } session { externalId } message { id subject bodyText tags }
}
"""
WRITE_HANDOVER = (
    """
mutation Write($input: HandoverInput!) {
  writeHandover(input: $input) { handover { ...handover } refusal { code message field rule } }
}
"""
    + HANDOVER_FIELDS
)
HANDOVERS = (
    """
query Handovers($filter: HandoverFilter, $first: Int = 20, $after: String) {
  handovers(filter: $filter, first: $first, after: $after) {
    edges { cursor node { ...handover } }
    pageInfo { hasNextPage endCursor }
  }
}
"""
    + HANDOVER_FIELDS
)
ACCEPT = (
    """
mutation Accept($input: AcceptHandoversInput!) {
  acceptHandovers(input: $input) {
    accepted { ...handover } effective { ...handover } refusal { code message field }
  }
}
"""
    + HANDOVER_FIELDS
)
RETURN = (
    """
mutation Return($session: ID!, $ids: [ID!]) {
  returnHandovers(session: $session, ids: $ids) { returned { ...handover } refusal { code field } }
}
"""
    + HANDOVER_FIELDS
)
REMEMBER = """
mutation Remember($input: RememberInput!) {
  remember(input: $input) {
    memory { id text tags agent { handle } session { externalId } }
    refusal { code message field }
  }
}
"""


@dataclass(frozen=True)
class Person:
    """A caller. ``handle`` is empty for somebody without a key."""

    http: httpx.AsyncClient
    handle: str = ""
    key: str | None = None

    async def answer(self, query: str, variables: Data | None = None) -> Data:
        """Return the whole answer of the server."""
        headers = {"content-type": "application/json"}
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key}"
        # ASCII with escapes, so that a test can also send what is no Unicode text.
        body = json.dumps({"query": query, "variables": variables})
        response = await self.http.post("/graphql", content=body, headers=headers)
        answer: Data = response.json()
        return answer

    async def ask(self, query: str, **variables: Any) -> Data:
        """Return the data of an answer that has no errors."""
        answer = await self.answer(query, variables)
        assert "errors" not in answer, answer["errors"]
        data: Data = answer["data"]
        return data

    async def refused(self, query: str, **variables: Any) -> Data:
        """Return the extensions of the first error of an answer that has one."""
        answer = await self.answer(query, variables)
        assert "errors" in answer, answer
        extensions: Data = answer["errors"][0]["extensions"]
        return extensions

    async def sends(self, *to: str, **said: Any) -> Data:
        """Send a message that must be accepted and return it."""
        payload = await self.tries(*to, **said)
        assert payload["refusal"] is None, payload["refusal"]
        message: Data = payload["message"]
        return message

    async def tries(self, *to: str, **said: Any) -> Data:
        """Send a message and return the payload, whatever it is. No ``to`` means the one who is answered."""
        message = {"subject": "Tide tables", "bodyText": "High water at six.", **said}
        if to:
            message["to"] = list(to)
        payload: Data = (await self.ask(SEND, input=message))["sendMessage"]
        return payload

    async def inbox(self, **arguments: Any) -> Data:
        """Return a page of the inbox."""
        page: Data = (await self.ask(INBOX, **arguments))["inbox"]
        return page

    async def entries(self, **arguments: Any) -> list[Data]:
        """Return the mailbox entries of one page."""
        return [edge["node"] for edge in (await self.inbox(first=100, **arguments))["edges"]]

    async def marks(self, how: str, *ids: str, **arguments: Any) -> Data:
        """Mark entries, by ids where there are any, and return the payload. ``how`` is the mutation's name."""
        said = {**arguments, "ids": list(ids)} if ids else arguments
        payload: Data = (await self.ask(MARK % how, **said))[how]
        return payload

    async def changes(self, since: str, **arguments: Any) -> Data:
        """Return a page of changes."""
        page: Data = (await self.ask(CHANGES, since=since, **arguments))["mailboxChanges"]
        return page

    async def thread(self, named: str, **arguments: Any) -> list[Data]:
        """Return the rows of one page of a thread."""
        thread = (await self.ask(THREAD, id=named, **arguments))["thread"]
        return [edge["node"] for edge in thread["messages"]["edges"]]
