"""The HTTP side: the requests a client makes, each beside the script of the same answer."""

import time
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import httpx
from neo4j import AsyncDriver

from bench.measuring import Pair
from bench.scripts import Listener, Script, play, send_script
from bench.store import READER, Store
from graph.mailbox import InboxFilter, inbox
from graph.messages import bodies, message_cards
from graph.readers import Reader
from graph.rules.drafts import MessageInput
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
    unreadCount state
  }
}
"""
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
        """Return everything that is measured, for the store as it is now."""
        return [
            await self._inbox("inbox", InboxFilter(), {}),
            await self._inbox("unread inbox", InboxFilter(unread=True), {"unread": True}),
            await self._thread(),
            Pair("send", 1, self._send, self._send_raw),
            Pair("send", SENDERS, self._send, self._send_raw),
        ]

    async def _inbox(self, what: str, chosen: InboxFilter, said: dict[str, bool]) -> Pair:
        listener = Listener(self.store.graph.database)
        await inbox(listener, READER, chosen, PAGE, None)
        script = listener.script

        async def http() -> float:
            seconds, data = await self._ask(INBOX, {"first": PAGE, "filter": said})
            _check(len(data["inbox"]["edges"]) == PAGE, data)
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
        places = (await rebuilt(listener, Reader.alone(READER), [thread]))[thread]
        members = [place.message for place in places if place.message is not None]
        await message_cards(listener, Reader.alone(READER), members)
        await bodies(listener, members)
        return listener.script

    async def _send(self) -> float:
        seconds, data = await self._ask(SEND, {"input": _as_input(self.store.letter())})
        _check(data["sendMessage"]["duplicate"] is False, data)
        return seconds

    async def _send_raw(self) -> float:
        return await self._play(await send_script(self.store.submission()))

    async def _ask(self, query: str, variables: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Return how long an answer took until it was decoded, and its data. Raises RuntimeError for errors."""
        began = time.perf_counter()
        response = await self.client.post("/graphql", json={"query": query, "variables": variables})
        answer: dict[str, Any] = response.json()
        seconds = time.perf_counter() - began
        if "errors" in answer:
            raise RuntimeError(f"The service answered with errors: {answer['errors']}")
        return seconds, answer["data"]

    async def _play(self, script: Script) -> float:
        began = time.perf_counter()
        await play(self.driver, self.store.graph.database.name, script)
        return time.perf_counter() - began


def _as_input(said: MessageInput) -> dict[str, Any]:
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
