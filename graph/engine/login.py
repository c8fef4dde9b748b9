"""The embedded server's first login, which replaces the password that every new Neo4j comes with."""

from dataclasses import replace

from pydantic import SecretStr

from graph.engine.connection import Connection, ServerInfo
from graph.engine.probing import open_driver, probe
from graph.errors import DatabaseLoginFailed
from graph.queries import query

SET_PASSWORD = query("engine/set_password")

_FACTORY_PASSWORD = "neo4j"  # noqa: S105 (Neo4j's documentation names it)


async def log_in(connection: Connection) -> ServerInfo:
    """Make the connection's password the server's, and return what the server is.

    The caller has kept the password before this, so that an interruption at any point leaves it known.
    Raises what ``probe`` raises: DatabaseLoginFailed when the server has neither this password nor the first one.
    """
    factory = replace(connection, password=SecretStr(_FACTORY_PASSWORD), database="system")
    try:
        return await probe(connection)
    except DatabaseLoginFailed as refusal:
        try:
            async with open_driver(factory) as driver, driver.session(database=factory.database) as session:
                new = connection.password.get_secret_value()
                result = await session.run(SET_PASSWORD.text, old=_FACTORY_PASSWORD, new=new)
                await result.consume()
        except DatabaseLoginFailed:
            raise refusal from None
    return await probe(connection)
