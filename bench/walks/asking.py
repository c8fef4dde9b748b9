"""A question: one request, and the use case that answers it, from which its Cypher is taken."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
from neo4j import AsyncDriver

from bench.letters import READER
from bench.measuring import Figures, Pair, measure
from bench.requests import ask
from bench.scripts import Listener, Script, hits_of, play
from bench.walks.shapes import ANALYST, AT_SEA, Shapes
from graph.readers import Reader

#: Who asks: the hub himself, one of those who write to each other, and who sees everything.
HUB, PEER = Reader.alone(READER), Reader.alone(AT_SEA)
ALL = Reader(ANALYST, (ANALYST,), everything=True)


@dataclass(frozen=True)
class Question:
    """What ``reader`` asks; ``answered`` tells whether the data is what was meant, ``use`` runs what the API runs."""

    what: str
    reader: Reader
    query: str
    variables: dict[str, Any]
    answered: Callable[[dict[str, Any]], bool]
    use: Callable[[Listener], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Walk:
    """One measurement; ``hits`` is how often its Cypher touches what is stored, by the database's own count."""

    figures: Figures
    hits: int


@dataclass(frozen=True)
class Asking:
    """A client of the running service, and a driver for the same database; ``keys`` are by handle."""

    shapes: Shapes
    client: httpx.AsyncClient
    driver: AsyncDriver
    keys: dict[str, str]

    async def walk(self, size: int, question: Question, seconds: float) -> Walk:
        """Return the figures of a question. Warming up takes no longer than measuring."""
        script = await self._script(question)
        database = self.shapes.store.graph.database.name

        async def raw() -> float:
            began = time.perf_counter()
            await play(self.driver, database, script)
            return time.perf_counter() - began

        pair = Pair(question.what, 1, lambda: self.once(question), raw)
        figures = await measure(size, pair, seconds, warm_up_seconds=seconds)
        return Walk(figures, await hits_of(self.driver, database, script))

    async def once(self, question: Question) -> float:
        """Return how long the service took. Raises RuntimeError when it did not answer what was meant."""
        key = self.keys[question.reader.handle]
        seconds, data = await ask(self.client, question.query, question.variables, key)
        if not question.answered(data):
            raise RuntimeError(f"{question.what}: something else was answered than was asked for: {str(data)[:1000]}")
        return seconds

    async def _script(self, question: Question) -> Script:
        listener = Listener(self.shapes.store.graph.database)
        await question.use(listener)
        return listener.script
