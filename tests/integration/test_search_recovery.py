"""What was acknowledged is found after the database was killed, though its index follows commits (DESIGN §3.1, §3.2).

Neo4j writes the full-text index behind the commit, and to the disk at checkpoints, which wait for it. A kill loses what
was not on the disk; the log of transactions has it, and the next start applies it again.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from graph.bootstrap import Graph, open_graph
from graph.engine.home import EngineHome
from graph.errors import DatabaseError
from graph.readers import Reader
from graph.retracting import retract
from graph.search import SearchFilter, search
from graph.settings import load_settings
from tests.support import Agents

# Far longer than a restart takes: it only keeps a broken program from waiting for ever.
PATIENCE_SECONDS = 150
SENDERS, EACH = 8, 15

T = TypeVar("T")


async def answered(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until the database answers again."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(DatabaseError):
                return await ask()
            await asyncio.sleep(0.1)


async def test_what_was_acknowledged_before_a_kill_is_found_after_it(own_environment: None, tmp_path: Path) -> None:
    async with await open_graph(load_settings(home=tmp_path / "home")) as graph:
        agents = Agents(graph)
        bea, *senders = await agents("bea", *(f"sender{number}" for number in range(SENDERS)))
        expected: set[str] = set()

        async def flood(sender: str) -> None:
            """Send a few and take back the last of them."""
            sent = [await agents.send(sender, bea, subject="Polonium") for _ in range(EACH)]
            await retract(graph.database, graph.clock, Reader.alone(sender), sent[-1])
            expected.update(sent[:-1])

        await asyncio.gather(*map(flood, senders))
        pid = EngineHome(graph.settings.home).read_state().pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert await answered(lambda: found(graph, bea)) == expected


async def found(graph: Graph, reader: str) -> set[str]:
    """Return what somebody finds, page by page."""
    asked = graph.database, Reader.alone(reader), ("polonium",), SearchFilter(), 100
    page = await search(*asked, None)
    ids = {card.id for card in page.items}
    while page.has_next:
        page = await search(*asked, page.end)
        ids |= {card.id for card in page.items}
    return ids
