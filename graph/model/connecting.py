"""Pointing neomodel at a database. Its connection is one for the whole process."""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import GraphDatabase
from neomodel import db, get_config

from graph.database import RETRY_SECONDS, translated
from graph.engine import Connection
from graph.engine.sources import running
from graph.settings import load_settings


@contextmanager
def connected(connection: Connection | None = None) -> Iterator[None]:
    """Let the model's classes read and write a database inside the ``with`` block, in this thread.

    Without a ``connection`` it is the one that the environment names: the server at NEO4J_URI, else the embedded one
    that runs on HELIOGRAPH_HOME. A connection that neomodel had before is closed, and the new one ends with the block;
    blocks do not nest. Raises DatabaseError when the database does not answer or refuses the login, ConfigurationError
    or EngineError when the environment names none that runs.
    """
    connection = connection or running(load_settings())
    db.close_connection()
    config = get_config()
    before = config.database_name
    with (
        translated(),
        GraphDatabase.driver(
            connection.uri,
            auth=(connection.username, connection.password.get_secret_value()),
            max_transaction_retry_time=RETRY_SECONDS,
            notifications_min_severity="OFF",
            user_agent="heliograph",
        ) as driver,
    ):
        # A driver says nothing of the database to use; neomodel takes its name from the setting, for this thread.
        config.database_name = connection.database
        db.set_connection(driver=driver)
        try:
            yield
        finally:
            db.close_connection()
            config.database_name = before
