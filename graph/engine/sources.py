"""Chooses where Neo4j comes from, so that the rest of the program cannot tell."""

import logging

from graph.engine.connection import Connection, Engine, Progress
from graph.engine.probing import probe
from graph.errors import ConfigurationError
from graph.settings import Settings

logger = logging.getLogger(__name__)


class NamedServer:
    """A server that somebody else runs. There is nothing to start or to stop."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

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
    if settings.neo4j_password is None:
        raise ConfigurationError(
            "NEO4J_URI is set but NEO4J_PASSWORD is not: set it to the password of NEO4J_USERNAME "
            f"({settings.neo4j_username!r}), or unset NEO4J_URI to use the embedded server."
        )
    connection = Connection(
        source="uri",
        uri=settings.neo4j_uri,
        username=settings.neo4j_username,
        password=settings.neo4j_password,
        database=settings.neo4j_database,
    )
    await probe(connection)
    return NamedServer(connection)
