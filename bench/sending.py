"""Sends a second: many clients on one mailbox and on fifty, each send on its own and sharing transactions.

At the service level (``graph/``) and over HTTP; and broadcasts. Every client is an identity of its own, as in life.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import httpx

from bench.letters import PEERS, READER
from bench.requests import SEND, as_input, ask
from bench.service import TRIED_AGAIN, service
from bench.store import Store
from graph.committing import TOGETHER, Committer
from graph.errors import Refused
from graph.identities import NewIdentity, register
from graph.queries import Query
from graph.rules.addresses import EVERYONE
from graph.sending import send_message

CLIENTS = (1, 8, 32)
#: One mailbox that everybody writes to, or fifty.
MAILBOXES = {1: [READER], len(PEERS): PEERS}
AUDIENCES, BROADCASTERS = (100, 1000), (1, 8)
#: Not counted: by then plans are made.
WARM_UP_SECONDS = 2.0

#: Sends one message as the client of that number, to that address.
Send = Callable[[int, str], Awaitable[None]]

GAPS = Query(
    "bench/gaps",
    """// How many of these mailboxes have a gap in their uids? Parameters: addresses. Rows: gaps.
    UNWIND $addresses AS address
    MATCH (b:Mailbox {address: address})
    WITH b, COUNT { MATCH ()-[d:DELIVERED_TO]->() WHERE d.mailbox = b.address AND d.uid > 0 } AS entries
    RETURN sum(CASE WHEN b.uidNext = entries + 1 THEN 0 ELSE 1 END) AS gaps""",
)


@dataclass(frozen=True, slots=True)
class SendRate:
    """What many senders reach: ``level`` is graph or HTTP, ``together`` how many may share a transaction."""

    level: str
    to: str
    clients: int
    together: int
    per_second: float
    p50: float
    p99: float
    retried: int


class _Retries(logging.Handler):
    """Counts the transactions of this process that were tried again."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count one."""
        self.count += TRIED_AGAIN in record.getMessage()


@dataclass(frozen=True)
class Sending:
    """A filled store with the keys of everybody in it, and the home that its services run on."""

    store: Store
    keys: dict[str, str]
    home: Path
    seconds: float

    async def rates(self) -> list[SendRate]:
        """Measure everything."""
        found = []
        for together in (1, TOGETHER):
            found += await self._in_process(together)
            found += await self._over_http(together)
        for audience in AUDIENCES:
            await self._register(audience)
            for together in (1, TOGETHER):
                found += await self._broadcasts(audience, together)
        return found

    async def gaps(self) -> int:
        """Return how many mailboxes have a gap: none, if the write path keeps its word."""
        (row,) = await self.store.graph.database.fetch(GAPS, {"addresses": [READER, *PEERS]})
        return int(row["gaps"])

    async def _in_process(self, together: int) -> list[SendRate]:
        retries = _Retries()
        log = logging.getLogger("graph.database")
        log.addHandler(retries)
        send = self._sender(together)
        try:
            return [
                await self._measure("graph", send, addresses, clients, together, lambda: retries.count)
                for addresses in MAILBOXES.values()
                for clients in CLIENTS
            ]
        finally:
            log.removeHandler(retries)

    async def _over_http(self, together: int) -> list[SendRate]:
        # A second service on the same database, with its own setting.
        async with (
            service(self.home, HELIOGRAPH_SENDS_TOGETHER=str(together)) as running,
            httpx.AsyncClient(base_url=running.url, timeout=60) as client,
        ):

            async def send(number: int, to: str) -> None:
                letter = self.store.letters.letter(to)
                await ask(client, SEND, {"input": as_input(letter)}, self.keys[PEERS[number]])

            return [
                await self._measure("HTTP", send, addresses, clients, together, running.retried)
                for addresses in MAILBOXES.values()
                for clients in CLIENTS
            ]

    async def _broadcasts(self, audience: int, together: int) -> list[SendRate]:
        retries = _Retries()
        log = logging.getLogger("graph.database")
        log.addHandler(retries)
        send = self._sender(together)
        try:
            return [
                await self._measure(
                    f"graph, {audience:,} agents", send, [EVERYONE], clients, together, lambda: retries.count
                )
                for clients in BROADCASTERS
            ]
        finally:
            log.removeHandler(retries)

    def _sender(self, together: int) -> Send:
        graph = self.store.graph
        committer = Committer(graph.database, together=together)

        async def send(number: int, to: str) -> None:
            await send_message(committer, graph.clock, PEERS[number], self.store.letters.letter(to), graph.limits)

        return send

    async def _measure(
        self, level: str, send: Send, addresses: list[str], clients: int, together: int, retried: Callable[[], int]
    ) -> SendRate:
        await _crowd(send, addresses, clients, WARM_UP_SECONDS)
        before, began = retried(), time.perf_counter()
        times = await _crowd(send, addresses, clients, self.seconds)
        elapsed = time.perf_counter() - began
        cuts = quantiles(times, n=100, method="inclusive")
        to = addresses[0] if len(addresses) == 1 else f"{len(addresses)} mailboxes"
        rate = len(times) / elapsed
        return SendRate(level, to, clients, together, rate, cuts[49] * 1000, cuts[98] * 1000, retried() - before)

    async def _register(self, audience: int) -> None:
        """Register agents until a broadcast of one of them reaches so many."""
        graph = self.store.graph
        # The reader and the peers are agents too, and the sender gets nothing.
        for number in range(audience - len(PEERS)):
            try:
                await register(graph.database, graph.clock, NewIdentity(f"@crew-{number:04}"), graph.limits)
            except Refused:
                continue


async def _crowd(send: Send, addresses: list[str], clients: int, seconds: float) -> list[float]:
    """Let clients send one message after the other for a while and return how long each send took."""
    times: list[float] = []
    until = time.perf_counter() + seconds

    async def client(number: int) -> None:
        sent = number
        while (began := time.perf_counter()) < until or len(times) < clients:
            await send(number, addresses[sent % len(addresses)])
            times.append(time.perf_counter() - began)
            sent += 1

    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(client(number))
    return times
