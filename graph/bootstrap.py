"""Putting the pieces together: an engine, a database with the newest schema, and the keys that open it."""

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from graph.clock import Clock, SystemClock
from graph.committing import Committer
from graph.database import Database
from graph.engine import Connection, Engine, Progress, ServerInfo, open_engine
from graph.errors import HomeUnusable, RefusalCode, Refused
from graph.identities import IdentityKind, NewIdentity, register
from graph.keys import KeyRing, Scope, load_pepper, write_secret
from graph.migrations import migrate
from graph.queries import query
from graph.rules.limits import MessageLimits
from graph.settings import Settings

OPERATOR = "@operator"
#: The file in the home folder that holds the operator's key.
OPERATOR_KEY = "operator.key"
COMPONENT = query("health/component")


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything a use case needs, opened. Close it, or use ``async with``."""

    settings: Settings
    engine: Engine
    database: Database
    clock: Clock
    keys: KeyRing
    limits: MessageLimits
    #: Where sends go: those that come at the same time share a transaction.
    committer: Committer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Give the database a committer of its own."""
        object.__setattr__(self, "committer", Committer(self.database, together=self.settings.sends_together))

    async def server_info(self) -> ServerInfo:
        """Ask the database whether it answers, and return what it is. Raises DatabaseError when it does not."""
        (row,) = await self.database.fetch(COMPONENT)
        return ServerInfo(product=row["name"], version=row["version"])

    @property
    def connection(self) -> Connection:
        """How other programs reach the same Neo4j."""
        return self.engine.connection

    async def close(self) -> None:
        """Finish what was accepted, close the connections, then let go of the engine."""
        await self.committer.close()
        await self.database.close()
        await self.engine.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def open_graph(
    settings: Settings,
    *,
    clock: Clock | None = None,
    limits: MessageLimits | None = None,
    progress: Progress | None = None,
) -> Graph:
    """Open the engine that the settings name, bring its schema up to date, and return the graph.

    Raises EngineError, DatabaseError or ConfigurationError; whatever was opened by then is closed again.
    """
    clock = clock or SystemClock()
    keys = KeyRing(load_pepper(settings))
    engine = await open_engine(settings, progress=progress)
    try:
        connection = engine.connection
        database = Database.connect(
            connection.uri, connection.username, connection.password.get_secret_value(), connection.database
        )
        try:
            await migrate(database, clock)
        except BaseException:
            await database.close()
            raise
    except BaseException:
        await engine.close()
        raise
    return Graph(settings, engine, database, clock, keys, limits or MessageLimits())


async def ensure_operator(graph: Graph) -> Path:
    """Return the file, mode 0600, that holds a key of scope operator; identity, key and file are made on first use.

    Raises HomeUnusable when the file cannot be written or read.
    """
    path = graph.settings.home / OPERATOR_KEY
    try:
        if path.exists():
            known = await graph.keys.caller(graph.database, path.read_text(encoding="ascii").strip())
            if known is not None:
                return path
            # The file belongs to another graph: a key that opens nothing here helps nobody.
            path.unlink()
        try:
            await register(
                graph.database, graph.clock, NewIdentity(OPERATOR, "Operator", IdentityKind.HUMAN), graph.limits
            )
        except Refused as refused:
            if refused.refusal is not RefusalCode.CONFLICT:
                raise
        key = await graph.keys.issue(graph.database, graph.clock, OPERATOR, {Scope.AGENT, Scope.OPERATOR})
        write_secret(path, key.secret.get_secret_value())
    except FileExistsError:
        # Another process was faster; its key is as good.
        return path
    except (OSError, UnicodeDecodeError) as error:
        raise HomeUnusable(f"The operator's key {path} cannot be kept ({error}); choose another --home.") from error
    return path
