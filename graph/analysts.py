"""Cypher of an analyst's own: who may run it, one query at a time, each logged, none outliving its time.

Reading access alone is no gate: Neo4j lets a reading transaction list and end transactions, call most procedures, load
files, and loop within an expression past every timeout. So a query is judged by its text and by its plan before it runs
(``graph.rules.cypher``), and whatever gets through and does not stop is ended with the server it runs on.
"""

import asyncio
import json
import logging
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any

from neo4j import AsyncDriver
from neo4j.exceptions import BrokenRecordError, DriverError

from graph.bootstrap import Graph
from graph.cypher_errors import timed_out
from graph.cypher_session import CypherRows, CypherSession
from graph.database import new_driver, translated
from graph.errors import DatabaseError, RefusalCode, Refused
from graph.keys import KEY_PREFIX, Caller
from graph.queries import query
from graph.rules.cypher.limits import CypherLimits
from graph.rules.cypher.parameters import check_parameters
from graph.rules.cypher.text import check_query

RUNNING = query("analysts/running")

#: How many queries of analysts run at the same time, whoever asks them.
AT_ONCE = 4
#: How long after its timeout a transaction may still be there before the server is ended.
GRACE_SECONDS = 10.0
#: How long after the timeout the server's own word of it is waited for.
_LATE_SECONDS = 2.0
#: How often it is looked whether it is still there, and how long an answer that was cut waits for that.
_POLL_SECONDS = 0.2
_GONE_SECONDS = 2.0
_ANSWER_SECONDS = 5.0
#: So much of a query that is too long is logged.
_LOGGED = 10_000

_KEY = re.compile(rf"{KEY_PREFIX}[A-Za-z0-9_\-]+")

logger = logging.getLogger(__name__)
# Also where the server logs warnings alone: each use leaves its lines.
logger.setLevel(logging.INFO)


class AnalystCypher:
    """Runs the queries of one server process."""

    def __init__(self, graph: Graph, limits: CypherLimits, *, grace: float = GRACE_SECONDS) -> None:
        self._graph = graph
        self._limits = limits
        self._grace = grace
        self._driver: AsyncDriver | None = None
        self._busy: set[str] = set()
        self._watches: set[asyncio.Task[None]] = set()

    def announce(self) -> None:
        """Say in the log what it means that this is on, where it is."""
        if self._graph.settings.analyst_cypher:
            logger.warning(
                "HELIOGRAPH_ANALYST_CYPHER is on: whoever has a key of scope analyst can read everything in this graph "
                "by Cypher of his own, private memories and private ledgers among it. The other way is a restored "
                "backup on a server of its own."
            )

    async def run(self, caller: Caller, text: str, parameters: object) -> CypherRows:
        """Run a query and return its rows.

        Raises Refused: FORBIDDEN for a key without the scope, CYPHER_OFF where it is not on, CYPHER_REFUSED for what
        may not run, INVALID_INPUT for what Neo4j cannot run, LIMIT_EXCEEDED for what is too much or too long, or comes
        while another query of the key runs.
        """
        who = f"{caller.handle} with key {caller.key}"
        logger.info("%s asks in Cypher: %s", who, _one_line(text))
        began = time.monotonic()
        try:
            found = await self._run(caller, text, parameters)
        except Refused as refused:
            logger.info("%s is refused with %s: %s", who, refused.refusal, _one_line(refused.message))
            raise
        except BaseException as error:
            logger.info("%s is not answered: %s", who, type(error).__name__)
            raise
        logger.info(
            "%s is answered with %d rows%s, %d bytes, after %.3f s",
            who,
            len(found.rows),
            f" (cut by {found.truncated})" if found.truncated else "",
            found.bytes,
            time.monotonic() - began,
        )
        return found

    async def close(self) -> None:
        """Close the connections. A transaction that is still watched is the server's to end."""
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        if self._driver is not None:
            await self._driver.close()

    async def _run(self, caller: Caller, text: str, parameters: object) -> CypherRows:
        if not caller.analyst:
            raise Refused(RefusalCode.FORBIDDEN, "Only a key of scope 'analyst' may ask in Cypher.")
        if not self._graph.settings.analyst_cypher:
            raise Refused(
                RefusalCode.CYPHER_OFF,
                "Cypher of one's own is off on this server: its operator turns it on by "
                "HELIOGRAPH_ANALYST_CYPHER=true, or gives you a restored backup on a server of its own.",
            )
        given = check_parameters(parameters, self._limits)
        check_query(text, given, self._limits)
        if caller.key in self._busy:
            raise _wait("Another query with this key still runs; one at a time.")
        if len(self._busy) >= AT_ONCE:
            raise _wait(f"{AT_ONCE} queries of analysts run already, which is as many as may.")
        self._busy.add(caller.key)
        return await self._watched(caller.key, text, given)

    async def _watched(self, key: str, text: str, parameters: Mapping[str, Any]) -> CypherRows:
        """Run a query that holds the place of its key until it is known to have ended on the server."""
        token, run, began = secrets.token_hex(8), self._graph.engine.run, time.monotonic()
        ended = False
        try:
            session = CypherSession(self._opened(), self._graph.database.name, self._limits, token)
            async with asyncio.timeout(self._limits.seconds + _LATE_SECONDS):
                with translated():
                    found = await session.run(text, parameters)
            ended = found.truncated != "bytes"
        except TimeoutError:
            raise timed_out(self._limits) from None
        except Refused as refused:
            # What the server refused it has ended; a row that was too long was cut off by closing the connection.
            cause = refused.__cause__
            ended = not isinstance(cause, DriverError) or isinstance(cause, BrokenRecordError)
            raise
        else:
            return found
        finally:
            if ended:
                self._busy.discard(key)
            else:
                watch = self._watch(token, key, run, began + self._limits.seconds + self._grace)
                # Cut off by closing the connection it is gone in a moment, and the key then free for the next.
                await asyncio.wait({watch}, timeout=_GONE_SECONDS)

    def _opened(self) -> AsyncDriver:
        if self._driver is None:
            connection = self._graph.connection
            password = connection.password.get_secret_value()
            self._driver = new_driver(connection.uri, connection.username, password, AT_ONCE)
        return self._driver

    def _watch(self, token: str, key: str, run: int | None, until: float) -> asyncio.Task[None]:
        task = asyncio.create_task(self._follow(token, key, run, until))
        # The event loop keeps weak references alone; the set keeps the task until it is done.
        self._watches.add(task)
        task.add_done_callback(self._watches.discard)
        return task

    async def _follow(self, token: str, key: str, run: int | None, until: float) -> None:
        """Wait until the transaction is gone, and end the server with it when it does not go; then free the key."""
        late = False
        try:
            while await self._still_runs(token):
                if not late and time.monotonic() > until:
                    late = True
                    self._end(run)
                await asyncio.sleep(_POLL_SECONDS)
        finally:
            self._busy.discard(key)

    async def _still_runs(self, token: str) -> bool:
        """Ask whether a transaction is there; a server that cannot say so for all its work is taken to have it."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return bool(await self._graph.database.fetch(RUNNING, {"token": token}))
        except (DatabaseError, TimeoutError):
            return True

    def _end(self, run: int | None) -> None:
        late = f"{self._limits.seconds:g} s and {self._grace:g} s more"
        if run is not None and self._graph.engine.end(run):
            logger.error("A query of an analyst did not stop after %s: the embedded Neo4j (pid %d) is ended", late, run)
        elif run is None:
            logger.critical(
                "A query of an analyst did not stop after %s, and the Neo4j server is not Heliograph's to end: look at "
                "SHOW TRANSACTIONS there, and restart it",
                late,
            )


def _wait(why: str) -> Refused:
    return Refused(RefusalCode.LIMIT_EXCEEDED, f"{why} Ask again when it has ended.", field="query", retryable=True)


def _one_line(text: str) -> str:
    """Return text for the log: on one line whatever it holds, without keys, and no longer than a query may be."""
    short = text if len(text) <= _LOGGED else f"{text[:_LOGGED]}…"
    return json.dumps(_KEY.sub("hg_…", short))
