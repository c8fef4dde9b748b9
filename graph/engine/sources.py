"""Chooses where Neo4j comes from, so that the rest of the program cannot tell."""

import logging

from graph.engine.connection import Connection, Engine, Progress
from graph.engine.probing import probe
from graph.errors import ConfigurationError, EngineError
from graph.settings import Settings

logger = logging.getLogger(__name__)


class NamedServer:
    """A server that somebody else runs. There is nothing to start or to stop."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.run: int | None = None

    def end(self, run: int) -> bool:  # noqa: ARG002 - there is no run of it that is ours
        """Do nothing, and say so: the server is not ours to stop."""
        return False

    async def close(self) -> None:
        """Do nothing: the server was not ours to stop."""


async def open_engine(settings: Settings, *, progress: Progress | None = None) -> Engine:
    """Return a database that answers: the one at ``NEO4J_URI`` where that is set, else the embedded server.

    ``progress`` is told about downloads, which only the embedded server's first start needs.
    Raises ConfigurationError, DatabaseError or EngineError (their subclasses tell what), each saying what to do.
    """
    if settings.neo4j_uri is None:
        if settings.neo4j_password is not None:
            logger.warning("NEO4J_PASSWORD is set without NEO4J_URI: it is not used, the embedded server has its own")
        # Imported here, since it needs a Unix system and Java, and a program with a server of its own needs neither.
        from graph.engine.embedded import EmbeddedServer

        server = EmbeddedServer(settings, progress=progress)
        await server.open()
        return server
    connection = _named(settings.neo4j_uri, settings)
    await probe(connection)
    return NamedServer(connection)


def running(settings: Settings) -> Connection:
    """Return how to reach the database that the settings name, for a program that starts none.

    Raises ConfigurationError where the settings are incomplete, and EngineError where they mean the embedded server and
    none runs.
    """
    if settings.neo4j_uri is not None:
        return _named(settings.neo4j_uri, settings)
    from graph.engine.home import EngineHome
    from graph.engine.launcher import embedded_connection

    home = EngineHome(settings.home)
    state, password = home.read_state(), home.read_password()
    if state.phase != "ready" or password is None:
        raise EngineError(
            f"No embedded Neo4j runs on the home folder {settings.home}: start one with `heliograph up`, name another "
            "home by HELIOGRAPH_HOME, or a server by NEO4J_URI."
        )
    return embedded_connection(state.port, password)


def _named(uri: str, settings: Settings) -> Connection:
    if settings.neo4j_password is None:
        raise ConfigurationError(
            "NEO4J_URI is set but NEO4J_PASSWORD is not: set it to the password of NEO4J_USERNAME "
            f"({settings.neo4j_username!r}), or unset NEO4J_URI to use the embedded server."
        )
    return Connection(
        source="uri",
        uri=uri,
        username=settings.neo4j_username,
        password=settings.neo4j_password,
        database=settings.neo4j_database,
    )
