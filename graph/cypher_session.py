"""One reading transaction for a query of an analyst's own: explained, judged, then run, with everything counted.

This is the one place where text from outside becomes a query (decision 0021). Nothing is put into it or around it, save
the word EXPLAIN on a line before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import neo4j
from neo4j import AsyncDriver, AsyncSession, AsyncTransaction
from neo4j.exceptions import BrokenRecordError, DriverError, Neo4jError

from graph.cypher_errors import EXPLAIN, of_query
from graph.cypher_values import Json, as_json
from graph.errors import RefusalCode, Refused
from graph.rules.cypher.limits import FIELD, CypherLimits
from graph.rules.cypher.plan import check_plan

#: How many rows the server sends at a time.
_FETCHED = 100


@dataclass(frozen=True, slots=True)
class CypherRows:
    """What came of a query: its columns and rows, as JSON. ``truncated`` is by which limit they are not all."""

    columns: list[str]
    rows: list[list[Json]]
    truncated: str | None
    bytes: int


class Overrun(OSError):
    """More bytes came than may. The driver takes it for a broken connection, and closes it."""


class _Counted:
    """A connection's socket that lets a number of bytes in."""

    def __init__(self, socket: Any, most: int) -> None:  # noqa: ANN401 - the driver's own class
        self._socket = socket
        self._most = most
        self.read = 0

    @property
    def full(self) -> bool:
        """Whether as many came as may."""
        return self.read >= self._most

    async def recv_into(self, buffer: memoryview, size: int) -> int:
        """Receive some bytes. Raises Overrun when they are too many."""
        received: int = await self._socket.recv_into(buffer, size)
        self.read += received
        if self.read > self._most:
            raise Overrun("an analyst's query answers with more bytes than it may, and is cut off")
        return received

    def __getattr__(self, name: str) -> object:
        return getattr(self._socket, name)


class CypherSession:
    """A session on the analysts' own driver."""

    def __init__(self, driver: AsyncDriver, database: str, limits: CypherLimits, token: str) -> None:
        self._driver = driver
        self._database = database
        self._limits = limits
        self._token = token

    async def run(self, text: str, parameters: Mapping[str, Any]) -> CypherRows:
        """Return what the query answers, as far as the limits let it.

        Raises Refused for what is the query's own fault, else what the driver raises.
        """
        explaining = True
        async with self._driver.session(
            database=self._database, default_access_mode=neo4j.READ_ACCESS, fetch_size=_FETCHED
        ) as session:
            try:
                transaction = await session.begin_transaction(
                    metadata={"heliograph": self._token}, timeout=self._limits.seconds
                )
                async with transaction:
                    await self._explain(transaction, text, parameters)
                    explaining = False
                    rows = await self._rows(session, transaction, text, parameters)
                    await _let_go(transaction)
                    return rows
            except Neo4jError as error:
                refusal = of_query(error, self._limits, explaining=explaining)
                raise error if refusal is None else refusal from error

    async def _explain(self, transaction: AsyncTransaction, text: str, parameters: Mapping[str, Any]) -> None:
        result = await transaction.run(EXPLAIN + text, dict(parameters))
        summary = await result.consume()
        check_plan(summary.query_type, summary.plan)

    async def _rows(
        self, session: AsyncSession, transaction: AsyncTransaction, text: str, parameters: Mapping[str, Any]
    ) -> CypherRows:
        # The driver takes in a record whole, however large: only its socket can tell in time that it is too large.
        inbox: Any = session._connection.inbox  # type: ignore[union-attr]  # noqa: SLF001
        socket = inbox._socket  # noqa: SLF001
        counted = inbox._socket = _Counted(socket, self._limits.bytes)  # noqa: SLF001
        columns: list[str] = []
        rows: list[list[Json]] = []
        try:
            result = await transaction.run(text, dict(parameters))
            columns = list(result.keys())
            async for record in result:
                if len(rows) == self._limits.rows:
                    return CypherRows(columns, rows, "rows", counted.read)
                rows.append([as_json(value) for value in record.values()])
                if counted.full:
                    return CypherRows(columns, rows, "bytes", counted.read)
            return CypherRows(columns, rows, None, counted.read)
        except BrokenRecordError as error:
            raise Refused(
                RefusalCode.INVALID_INPUT,
                f"A value of the answer cannot be shown ({error}): return it as text, by toString().",
                field=FIELD,
            ) from error
        except DriverError as error:
            if not counted.full:
                raise
            if not rows:
                raise Refused(
                    RefusalCode.LIMIT_EXCEEDED,
                    f"The first row alone has more than {self._limits.bytes} bytes (cypherBytes): return less in it.",
                    field=FIELD,
                ) from error
            return CypherRows(columns, rows, "bytes", counted.read)
        finally:
            inbox._socket = socket  # noqa: SLF001


async def _let_go(transaction: AsyncTransaction) -> None:
    """End the transaction, whatever of its rows has not been fetched; one whose connection is gone has ended."""
    if not transaction.closed():
        await transaction.rollback()
