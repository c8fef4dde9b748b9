"""The raw side: what the use cases ask of the database, taken from themselves and run by the driver alone.

A script is the queries of one request with their parameters. Nothing of them is written down here a second time: a use
case is run once with a database that listens, or, where it writes, with a transaction that only pretends.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction

from graph.database import TRANSACTION_SECONDS, Database, Row, Transaction
from graph.engine import Connection
from graph.queries import Query
from graph.writing import Submission, submit

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Statement:
    """One named query and its parameters."""

    query: Query
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Script:
    """What one request asks, in order."""

    statements: tuple[Statement, ...]
    writes: bool = False
    messages: int = 0


class _Heard(Transaction):
    """Passes queries on and keeps them."""

    def __init__(self, inner: Transaction, heard: list[Statement]) -> None:
        self._inner = inner
        self._heard = heard

    async def run(self, query: Query, parameters: dict[str, Any] | None = None, /) -> list[Row]:
        """Run a query as the real transaction does."""
        self._heard.append(Statement(query, parameters or {}))
        return await self._inner.run(query, parameters)


class Listener(Database):
    """Reads for a use case as a database does, and keeps what was asked."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._heard: list[Statement] = []
        self._writes = False

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run ``work`` and listen."""
        return await self._database.read(lambda tx: work(_Heard(tx, self._heard)))

    async def write(self, work: Callable[[Transaction], Awaitable[T]], *, seconds: float = TRANSACTION_SECONDS) -> T:
        """Run ``work`` under its locks and listen: changes are read so."""
        self._writes = True
        return await self._database.write(lambda tx: work(_Heard(tx, self._heard)), seconds=seconds)

    async def fetch(self, query: Query, parameters: dict[str, Any] | None = None, /) -> list[Row]:
        """Run one query and listen."""
        self._heard.append(Statement(query, parameters or {}))
        return await self._database.fetch(query, parameters)

    @property
    def script(self) -> Script:
        """What was asked so far."""
        return Script(tuple(self._heard), self._writes)


class _Rehearsal(Transaction):
    """Answers what the graph answers for new messages to known agents, and writes nothing."""

    def __init__(self, submissions: Sequence[Submission]) -> None:
        self._drafts = [submission.draft for submission in submissions]
        self.heard: list[Statement] = []

    async def run(self, query: Query, parameters: dict[str, Any] | None = None, /) -> list[Row]:
        """Keep the query, and answer what the write path reads from it."""
        self.heard.append(Statement(query, parameters or {}))
        if query.name == "writing/lock":
            known = {address for draft in self._drafts for address in (draft.sender, *draft.recipients)}
            box: Row = {"kind": "AGENT", "status": "ACTIVE", "delivery": None, "members": []}
            boxes = [{"address": one, **box} for one in sorted(known)]
            return [{"boxes": boxes, "blocks": [], "replyPolicy": None, "aliases": []}]
        if query.name == "writing/write":
            entries = sum(len(draft.recipients) for draft in self._drafts)
            return [{"messages": len(self._drafts), "entries": entries, "bound": True}]
        return []


async def send_script(*submissions: Submission) -> Script:
    """Return what sending these messages in one transaction asks of the database; it can be run once."""
    rehearsal = _Rehearsal(submissions)
    await submit(rehearsal, submissions)
    return Script(tuple(rehearsal.heard), writes=True, messages=len(submissions))


def bare_driver(at: Connection) -> AsyncDriver:
    """Return a driver that, like the service's own, is not told what the server thinks of a query."""
    auth = at.username, at.password.get_secret_value()
    return AsyncGraphDatabase.driver(at.uri, auth=auth, notifications_min_severity="OFF")


async def play(driver: AsyncDriver, database: str, script: Script) -> None:
    """Run a script in one managed transaction and read every row of it."""

    async def work(tx: AsyncManagedTransaction) -> None:
        for statement in script.statements:
            result = await tx.run(statement.query.text, statement.parameters)
            await result.data()

    async with driver.session(database=database) as session:
        await (session.execute_write(work) if script.writes else session.execute_read(work))


async def hits_of(driver: AsyncDriver, database: str, script: Script) -> int:
    """Return how often a reading script makes the database touch what it stores, as it counts by itself (PROFILE)."""

    async def work(tx: AsyncManagedTransaction) -> int:
        hits = 0
        for statement in script.statements:
            result = await tx.run(f"PROFILE\n{statement.query.text}", statement.parameters)
            # Only what was read to its end has a profile.
            await result.data()
            plan = (await result.consume()).profile
            hits += 0 if plan is None else _hits(plan)
        return hits

    async with driver.session(database=database) as session:
        return await session.execute_read(work)


def _hits(plan: dict[str, Any]) -> int:
    return int(plan.get("dbHits", 0)) + sum(_hits(child) for child in plan.get("children", ()))
