"""Pointing neomodel at a database. Its connection is one for the whole process."""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import GraphDatabase
from neomodel import db, get_config

from graph.database import RETRY_SECONDS, translated
from graph.engine import Connection


@contextmanager
def connected(connection: Connection) -> Iterator[None]:
    """Let the model's classes read and write this database inside the ``with`` block, in this thread.

    A connection that neomodel had before is closed, and the new one ends with the block; blocks do not nest.
    Raises DatabaseError when the database does not answer or refuses the login.
    """
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
