"""The one way to the database: managed transactions over named queries, and errors in our own words.

Every use case gets a ``Database`` and calls ``read`` or ``write`` with a function of one ``Transaction``. The driver
may run that function twice (after a deadlock or a lost connection), so ids and times are made before it and nothing
outside the transaction happens in it.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self, TypeVar

import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction, unit_of_work
from neo4j import exceptions as driver_errors

from graph import errors
from graph.queries import Query

log = logging.getLogger(__name__)

Row = dict[str, Any]
T = TypeVar("T")

#: A server that is away is reported within a few seconds; whoever calls decides whether to wait longer.
RETRY_SECONDS = 5.0
#: No single transaction of the program runs longer than this.
TRANSACTION_SECONDS = 60.0

#: The names of the queries run in the current context; tests set it to count them.
executed_queries: ContextVar[list[str] | None] = ContextVar("executed_queries", default=None)

#: Whether the current context has written: a read that fails afterwards must not sound as if nothing had happened.
_wrote: ContextVar[bool] = ContextVar("_wrote", default=False)


def note_written() -> None:
    """Note for the current context that it has written, where another task wrote for it."""
    _wrote.set(True)


_AWAY = "The database does not answer just now; try again shortly."
_AWAY_WRITING = (
    "The database stopped answering, and what was to be written may or may not have been: read it back, or send the "
    "same again with the same idempotencyKey, which never doubles it."
)
_TIMEOUT_CODES = frozenset(
    {
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
        "Neo.TransientError.Transaction.LockClientStopped",
    }
)


@contextmanager
def translated(*, writing: bool = False) -> Iterator[None]:
    """Turn what the driver raises into ``graph.errors``; ``graph.engine.probing`` alone has a table of its own.

    ``writing``: something may have been committed by then, so the error must not say that nothing happened.
    """
    try:
        yield
    except driver_errors.AuthError as error:
        raise errors.DatabaseLoginFailed(
            "Neo4j refuses the user name or the password; check NEO4J_USERNAME and NEO4J_PASSWORD."
        ) from error
    except driver_errors.ConstraintError as error:
        raise errors.DatabaseConflict("A unique key that was to be created exists already.") from error
    except (driver_errors.ServiceUnavailable, driver_errors.SessionExpired, OSError) as error:
        raise errors.DatabaseUnreachable(_AWAY_WRITING if writing else _AWAY) from error
    except driver_errors.Neo4jError as error:
        if error.code in _TIMEOUT_CODES:
            raise errors.DatabaseTimeout("The query ran longer than it may and was stopped.") from error
        if (error.code or "").startswith("Neo.TransientError.General.DatabaseUnavailable"):
            raise errors.DatabaseUnreachable("The database is starting or stopping; try again shortly.") from error
        raise errors.DatabaseError(f"The database could not answer ({error.code}).") from error
    except UnicodeEncodeError as error:
        # Text that is not Unicode (a lone surrogate) cannot be sent; what reaches this point was not looked at before.
        raise errors.Refused(
            errors.RefusalCode.INVALID_INPUT, "A value holds text that is not valid Unicode (a lone surrogate)."
        ) from error
    except driver_errors.DriverError as error:
        raise errors.DatabaseError(f"The database driver could not answer ({type(error).__name__}).") from error


def new_driver(uri: str, username: str, password: str, pool_size: int) -> AsyncDriver:
    """Return a driver that connects when first used. The caller closes it."""
    with translated():
        return AsyncGraphDatabase.driver(
            uri,
            auth=(username, password),
            max_connection_pool_size=pool_size,
            connection_acquisition_timeout=30,
            connection_timeout=RETRY_SECONDS,
            max_transaction_retry_time=RETRY_SECONDS,
            notifications_min_severity="OFF",
            user_agent="heliograph",
        )


class Transaction:
    """One open transaction. It lives as long as the function it was given to."""

    def __init__(self, transaction: AsyncManagedTransaction) -> None:
        self._transaction = transaction

    async def run(self, query: Query, parameters: dict[str, Any] | None = None, /) -> list[Row]:
        """Run a named query and return its rows, each as a dict by column name."""
        recorded = executed_queries.get()
        if recorded is not None:
            recorded.append(query.name)
        result = await self._transaction.run(query.text, parameters)
        return await result.data()

    async def one(self, query: Query, parameters: dict[str, Any] | None = None, /) -> Row | None:
        """Run a named query and return its first row, or None when it has none."""
        rows = await self.run(query, parameters)
        return rows[0] if rows else None


class Database:
    """A pool of connections to one database, shared by the whole process."""

    def __init__(self, driver: AsyncDriver, name: str) -> None:
        self._driver = driver
        self.name = name
        # Bookmarks make every session of this process see what the process wrote, on a cluster as on one server.
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()

    @classmethod
    def connect(cls, uri: str, username: str, password: str, database: str, *, pool_size: int = 64) -> Self:
        """Return a database that connects when first used. The caller closes it (``async with``)."""
        return cls(new_driver(uri, username, password, pool_size), database)

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run ``work`` in a read transaction and return what it returns."""
        return await self._execute(neo4j.READ_ACCESS, work)

    async def write(self, work: Callable[[Transaction], Awaitable[T]], *, seconds: float = TRANSACTION_SECONDS) -> T:
        """Run ``work`` in a write transaction: all of it is durable when this returns, or none of it happened."""
        return await self._execute(neo4j.WRITE_ACCESS, work, seconds)

    async def fetch(self, query: Query, parameters: dict[str, Any] | None = None, /) -> list[Row]:
        """Run one named query in a read transaction of its own and return its rows."""
        recorded = executed_queries.get()
        if recorded is not None:
            recorded.append(query.name)
        with translated(writing=_wrote.get()):
            # The driver's own managed transaction for one query, which saves a round trip.
            return await self._driver.execute_query(
                neo4j.Query(query.text, timeout=TRANSACTION_SECONDS),
                parameters,
                routing_=neo4j.RoutingControl.READ,
                database_=self.name,
                bookmark_manager_=self._bookmarks,
                result_transformer_=neo4j.AsyncResult.data,
            )

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _execute(
        self, access: str, work: Callable[[Transaction], Awaitable[T]], seconds: float = TRANSACTION_SECONDS
    ) -> T:
        attempts = 0

        @unit_of_work(timeout=seconds)
        async def run(transaction: AsyncManagedTransaction) -> T:
            nonlocal attempts
            attempts += 1
            if attempts > 1:
                log.warning("A transaction is tried again (attempt %d).", attempts)
            return await work(Transaction(transaction))

        with translated(writing=access == neo4j.WRITE_ACCESS or _wrote.get()):
            async with self._driver.session(
                database=self.name, default_access_mode=access, bookmark_manager=self._bookmarks
            ) as session:
                if access == neo4j.READ_ACCESS:
                    return await session.execute_read(run)
                written = await session.execute_write(run)
                _wrote.set(True)
                return written
