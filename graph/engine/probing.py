"""Asks a server who it is, and turns every way in which that fails into an error that says what to do.

The driver's exceptions are named here as well as in ``graph.database``, since before the first connection they mean
something else: not that the database is away for a moment, but that a setting is wrong.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from neo4j import AsyncDriver, AsyncGraphDatabase
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, UnsupportedServerProduct

from graph.engine.connection import Connection, ServerInfo
from graph.errors import (
    ConfigurationError,
    DatabaseError,
    DatabaseLoginFailed,
    DatabaseUnreachable,
    DatabaseUnsupported,
)

OLDEST = (5, 26)

_CONNECT_SECONDS = 10.0
# Neo4j and Aura name themselves so. Others that speak Bolt put their own name behind a Neo4j version they imitate.
_AGENT = re.compile(r"Neo4j/(?P<version>(?P<major>\d+)\.(?P<minor>\d+)[\w.+-]*)")


async def probe(connection: Connection) -> ServerInfo:
    """Log in, make sure that the database exists there, and return what answered.

    Raises DatabaseUnreachable, DatabaseLoginFailed, DatabaseUnsupported, or ConfigurationError for the database's name.
    """
    async with open_driver(connection) as driver:
        info = await driver.get_server_info()
        server = _supported(info.agent, connection)
        # Opening a transaction is what shows that the database is there and that this user may use it.
        async with driver.session(database=connection.database) as session, await session.begin_transaction():
            pass
    return server


@asynccontextmanager
async def open_driver(connection: Connection) -> AsyncIterator[AsyncDriver]:
    """Yield a driver for a few first questions. What fails in the block is raised as one of ``graph.errors``."""
    try:
        async with AsyncGraphDatabase.driver(
            connection.uri,
            auth=(connection.username, connection.password.get_secret_value()),
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=_CONNECT_SECONDS,
            user_agent="heliograph",
        ) as driver:
            yield driver
    except UnsupportedServerProduct as error:
        raise _unsupported("does not speak a Bolt version that Neo4j 5.26 or later speaks", connection) from error
    except AuthError as error:
        raise DatabaseLoginFailed(_login_remedy(connection, "refuses")) from error
    except ClientError as error:
        raise _client_error(error, connection) from error
    except (DriverError, Neo4jError, OSError) as error:
        if "looks like HTTP" in str(error):  # The driver has no other sign for this common mix-up of ports.
            raise _unsupported("speaks HTTP and not Bolt", connection) from error
        raise DatabaseUnreachable(_unreachable(connection, error)) from error
    except Exception as error:
        # What is no Bolt server at all makes the driver raise errors of its private modules.
        if type(error).__module__.startswith("neo4j."):
            raise _unsupported("does not speak Bolt", connection) from error
        raise


def _supported(agent: str, connection: Connection) -> ServerInfo:
    """Return what the server's own name says, or raise DatabaseUnsupported."""
    match = _AGENT.fullmatch(agent)
    if match is None:
        raise _unsupported(f"calls itself {agent!r}", connection)
    if (int(match["major"]), int(match["minor"])) < OLDEST:
        raise _unsupported(f"is Neo4j {match['version']}", connection)
    return ServerInfo("Neo4j", match["version"])


def _unsupported(what: str, connection: Connection) -> DatabaseUnsupported:
    return DatabaseUnsupported(
        f"The server at {connection.uri} {what}. Heliograph needs Neo4j {'.'.join(map(str, OLDEST))} or later: set "
        "NEO4J_URI to the Bolt port of one (usually 7687), or unset it to use the embedded server."
    )


def _unreachable(connection: Connection, error: Exception) -> str:
    """Say what did not answer, and what to look at."""
    if connection.source == "embedded":
        return f"The embedded Neo4j server does not answer at {connection.uri} ({error})."
    return (
        f"No Neo4j server answers at {connection.uri} ({error}). Check the address in NEO4J_URI and that the server "
        "runs and can be reached from here; a server with TLS needs neo4j+s:// or bolt+s://. Or unset NEO4J_URI to "
        "use the embedded server."
    )


def _login_remedy(connection: Connection, verb: str) -> str:
    """Say which name and password are refused, and where to correct them."""
    if connection.source == "embedded":
        return (
            "The embedded Neo4j server refuses the password that is kept in the file 'password' beside its store: "
            "bring back the file that belongs to this store, or move the folder 'neo4j' away to begin an empty graph."
        )
    return (
        f"The server at {connection.uri} {verb} the user {connection.username!r} with the given password: check "
        "NEO4J_USERNAME and NEO4J_PASSWORD. After several failures Neo4j refuses even the right one for some seconds."
    )


def _client_error(error: ClientError, connection: Connection) -> DatabaseError | ConfigurationError:
    """Tell apart what the server refuses after the connection is made."""
    code = error.code or ""
    if code.startswith("Neo.ClientError.Security.CredentialsExpired"):
        return DatabaseLoginFailed(
            f"The server at {connection.uri} wants the first password of {connection.username!r} changed before "
            "anything else: change it, for example with cypher-shell, and set NEO4J_PASSWORD to the new one."
        )
    if code.startswith("Neo.ClientError.Security."):
        return DatabaseLoginFailed(_login_remedy(connection, "refuses to serve"))
    if code.startswith("Neo.ClientError.Database."):
        return ConfigurationError(
            f"NEO4J_DATABASE is {connection.database!r}, and the server at {connection.uri} has no such database: name "
            "one that SHOW DATABASES lists there, or create it."
        )
    return DatabaseError(f"The server at {connection.uri} refuses to answer ({code}): {error.message}")
