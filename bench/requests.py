"""The HTTP side: the requests a client makes, each beside the script of the same answer."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import httpx
from neo4j import AsyncDriver

from api.states import decode_state
from bench.letters import COMMON_TAG, COMMON_WORD, PEERS, RARE, RARE_TAG, RARE_WORD, READER, SHORE
from bench.measuring import Pair
from bench.scripts import Listener, Script, play, send_script
from bench.store import Store
from graph.changes import changes
from graph.mailbox import InboxFilter, inbox
from graph.messages import bodies, message_cards
from graph.readers import Reader
from graph.rules.drafts import MessageInput
from graph.rules.searching import search_terms
from graph.search import SearchFilter, search
from graph.sending import send_message
from graph.sent import SentFilter, sent
from graph.threads import rebuilt, thread_cards

PAGE = 20
#: Of many threads so many are read in turn.
THREADS = 50
SENDERS = 8

INBOX = """
query Inbox($first: Int, $filter: InboxFilter) {
  inbox(first: $first, filter: $filter) {
    edges { cursor node { uid unread deliveredAt via tags message { id subject sender { handle } thread { id } } } }
    pageInfo { hasNextPage endCursor }
    unreadCount
  }
}
"""
SENT = """
query Sent($first: Int) {
  sent(first: $first) {
    edges { cursor node { id subject createdAt tags thread { id } } }
    pageInfo { hasNextPage endCursor }
  }
}
"""
STATE = "{ inbox(first: 1) { state } }"
CHANGES = """
query Changes($since: String!, $first: Int) {
  mailboxChanges(since: $since, first: $first) {
    created { uid unread tags message { id subject sender { handle } thread { id } } }
    changed { uid unread tags message { id subject sender { handle } thread { id } } }
    hasMore newState refusal { code message }
  }
}
"""
SEARCH = """
query Search($query: String!, $first: Int) {
  search(query: $query, first: $first) {
    edges { cursor node { id subject createdAt sender { handle } thread { id } } }
    pageInfo { hasNextPage endCursor }
  }
}
"""
UNREAD_COUNT = "{ inbox(first: 1) { unreadCount } }"
THREAD = """
query Thread($id: ID!, $first: Int) {
  thread(id: $id) {
    id subject
    messages(first: $first) {
      edges { cursor node { depth parent hidden message { id subject bodyText createdAt sender { handle } } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}
"""
SEND = """
mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id } duplicate refusal { code message } }
}
"""


@dataclass(frozen=True)
class Requests:
    """A client of the running service, and a driver for the same database."""

    store: Store
    client: httpx.AsyncClient
    driver: AsyncDriver

    async def pairs(self) -> list[Pair]:
        """Return everything that is measured, for the store as it is now, in the order it is measured."""
        cases: Sequence[Callable[[], Awaitable[Pair]]] = (
            lambda: self._inbox("inbox", InboxFilter(), {}),
            lambda: self._inbox("unread", InboxFilter(unread=True), {"unread": True}),
            lambda: self._inbox("from", InboxFilter(sender=SHORE[0]), {"from": SHORE[0]}),
            lambda: self._inbox("tag, 30 %", InboxFilter(tags=(COMMON_TAG,)), {"tags": [COMMON_TAG]}),
            lambda: self._inbox(f"tag, {RARE} messages", InboxFilter(tags=(RARE_TAG,)), {"tags": [RARE_TAG]}),
            self._sent,
            self._thread,
            self._unread_count,
            self._changes,
            lambda: self._search("search, a common word", COMMON_WORD),
            lambda: self._search(f"search, {RARE} messages", RARE_WORD),
        )
        return [
            *[await case() for case in cases],
            Pair("send", 1, self._send, self._send_raw),
            Pair("send", SENDERS, self._send, self._send_raw),
        ]

    async def _inbox(self, what: str, chosen: InboxFilter, said: dict[str, Any]) -> Pair:
        async def ask(listener: Listener) -> object:
            return await inbox(listener, READER, chosen, PAGE, None)

        variables = {"first": PAGE, "filter": said}
        return await self._list(what, INBOX, variables, lambda data: data["inbox"]["edges"], ask)

    async def _sent(self) -> Pair:
        async def ask(listener: Listener) -> object:
            return await sent(listener, READER, SentFilter(), PAGE, None)

        return await self._list("sent", SENT, {"first": PAGE}, lambda data: data["sent"]["edges"], ask)

    async def _unread_count(self) -> Pair:
        listener = Listener(self.store.graph.database)
        await inbox(listener, READER, InboxFilter(), 1, None)
        script = listener.script

        async def http() -> float:
            seconds, data = await self._ask(UNREAD_COUNT, {})
            _check(data["inbox"]["unreadCount"] > 0, data)
            return seconds

        return Pair("unreadCount", 1, http, lambda: self._play(script))

    async def _changes(self) -> Pair:
        """Return the pair of a page of changes: what came after a state, of which there is a full page."""
        _, data = await self._ask(STATE, {})
        since: str = data["inbox"]["state"]
        graph = self.store.graph
        for sender in PEERS[:PAGE]:
            await send_message(graph.committer, graph.clock, sender, self.store.letters.letter(READER), graph.limits)

        async def ask(listener: Listener) -> object:
            return await changes(listener, READER, decode_state(READER, since, "since"), PAGE)

        def rows(data: dict[str, Any]) -> Sequence[object]:
            return [*data["mailboxChanges"]["created"], *data["mailboxChanges"]["changed"]]

        return await self._list("changes", CHANGES, {"since": since, "first": PAGE}, rows, ask)

    async def _search(self, what: str, word: str) -> Pair:
        async def ask(listener: Listener) -> object:
            terms = search_terms(word, self.store.graph.limits)
            return await search(listener, Reader.alone(READER), terms, SearchFilter(), PAGE, None)

        variables = {"query": word, "first": PAGE}
        return await self._list(what, SEARCH, variables, lambda data: data["search"]["edges"], ask)

    async def _list(
        self,
        what: str,
        query: str,
        variables: dict[str, Any],
        rows: Callable[[dict[str, Any]], Sequence[object]],
        ask: Callable[[Listener], Awaitable[object]],
    ) -> Pair:
        """Return the pair of a list that must answer with a full page."""
        listener = Listener(self.store.graph.database)
        await ask(listener)
        script = listener.script

        async def http() -> float:
            seconds, data = await self._ask(query, variables)
            _check(len(rows(data)) == PAGE, data)
            return seconds

        return Pair(what, 1, http, lambda: self._play(script))

    async def _thread(self) -> Pair:
        threads = self.store.threads[-THREADS:]
        ids, scripts = cycle(threads), cycle([await self._thread_script(thread) for thread in threads])

        async def http() -> float:
            seconds, data = await self._ask(THREAD, {"id": next(ids), "first": PAGE})
            _check(len(data["thread"]["messages"]["edges"]) == PAGE, data)
            return seconds

        return Pair(f"thread of {PAGE}", 1, http, lambda: self._play(next(scripts)))

    async def _thread_script(self, thread: str) -> Script:
        """Return what a client's view of a thread is made of, each part asked once."""
        listener = Listener(self.store.graph.database)
        await thread_cards(listener, Reader.alone(READER), [thread])
        places = (await rebuilt(listener, Reader.alone(READER), [thread]))[thread].places
        members = [place.message for place in places if place.message is not None]
        await message_cards(listener, Reader.alone(READER), members)
        await bodies(listener, members)
        return listener.script

    def _letter(self) -> MessageInput:
        return self.store.letters.letter(PEERS[self.store.letters.count % len(PEERS)])

    async def _send(self) -> float:
        seconds, data = await self._ask(SEND, {"input": as_input(self._letter())})
        _check(data["sendMessage"]["duplicate"] is False, data)
        return seconds

    async def _send_raw(self) -> float:
        return await self._play(await send_script(self.store.submission(READER, self._letter())))

    async def _ask(self, query: str, variables: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        return await ask(self.client, query, variables)

    async def _play(self, script: Script) -> float:
        began = time.perf_counter()
        await play(self.driver, self.store.graph.database.name, script)
        return time.perf_counter() - began


async def ask(
    client: httpx.AsyncClient, query: str, variables: dict[str, Any], key: str | None = None
) -> tuple[float, dict[str, Any]]:
    """Return how long an answer took until it was decoded, and its data. Raises RuntimeError for errors.

    ``key`` is the caller's, where it is not the client's own.
    """
    headers = None if key is None else {"authorization": f"Bearer {key}"}
    began = time.perf_counter()
    response = await client.post("/graphql", json={"query": query, "variables": variables}, headers=headers)
    answer: dict[str, Any] = response.json()
    seconds = time.perf_counter() - began
    if "errors" in answer:
        raise RuntimeError(f"The service answered with errors: {answer['errors']}")
    return seconds, answer["data"]


def as_input(said: MessageInput) -> dict[str, Any]:
    """Return a message as the API takes it."""
    return {
        "to": said.to,
        "subject": said.subject,
        "bodyText": said.body_text,
        "tags": said.tags,
        "idempotencyKey": said.idempotency_key,
    }


def _check(holds: bool, data: object) -> None:
    """Make sure that what is measured is the answer that was meant."""
    if not holds:
        raise RuntimeError(f"The service answered something else than was asked for: {data}")
