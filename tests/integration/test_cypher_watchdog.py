"""A query that the gate let through and that does not stop ends with the server it runs on (issue 5)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from graph.analysts import RUNNING, AnalystCypher
from graph.bootstrap import Graph, open_graph
from graph.engine.sources import NamedServer
from graph.errors import DatabaseError, Refused
from graph.keys import Caller, Scope
from graph.readers import Reader
from graph.rules.cypher.limits import CypherLimits
from graph.settings import load_settings

#: Neo4j does not ask whether it should stop before this has an end, which it has in some minutes.
RUNAWAY = "RETURN reduce(sum = 0, x IN range(1, 100000000000) | sum + x) AS sum"
LIMITS = CypherLimits(seconds=1.0)
# Far longer than anything takes: it only keeps a broken program from waiting for ever.
PATIENCE_SECONDS = 150


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[Graph]:
    """Open a graph on a server that no other test has, since this one ends it."""
    settings = load_settings(home=tmp_path / "home").model_copy(update={"neo4j_uri": None, "analyst_cypher": True})
    async with await open_graph(settings) as graph:
        yield graph


@pytest.fixture
def gateless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every query through, as a gate would that has a hole."""
    monkeypatch.setattr("graph.analysts.check_query", lambda *_: None)
    monkeypatch.setattr("graph.cypher_session.check_plan", lambda *_: None)


def analyst(name: str) -> Caller:
    return Caller(f"cred_{name}", f"@{name}", frozenset({Scope.ANALYST}), None, Reader(f"@{name}", (), everything=True))


async def runs_away(cypher: AnalystCypher, caller: Caller) -> None:
    with pytest.raises(Refused, match="took longer than 1 seconds"):
        await cypher.run(caller, RUNAWAY, None)


async def eventually(condition: Callable[[], bool]) -> None:
    """Look again and again, since what is waited for is told by no event."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def answers(graph: Graph) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                await graph.database.fetch(RUNNING, {"token": ""})
            except DatabaseError:
                await asyncio.sleep(0.1)
            else:
                return


async def test_a_runaway_is_reported_or_ended(own: Graph, gateless: None, caplog: pytest.LogCaptureFixture) -> None:
    named = AnalystCypher(replace(own, engine=NamedServer(own.connection)), LIMITS, grace=1.0)
    await runs_away(named, analyst("ada"))
    await eventually(lambda: any(record.levelno == logging.CRITICAL for record in caplog.records))
    assert "not Heliograph's to end" in caplog.text
    with pytest.raises(Refused, match="still runs"):
        await named.run(analyst("ada"), "RETURN 1 AS x", None)
    await named.close()

    before = own.engine.run
    hosted = AnalystCypher(own, LIMITS, grace=1.0)
    await runs_away(hosted, analyst("bea"))
    await eventually(lambda: own.engine.run != before)
    assert "did not stop after 1 s and 1 s more" in caplog.text
    await answers(own)
    found = None
    async with asyncio.timeout(PATIENCE_SECONDS):
        while found is None:
            try:
                found = await hosted.run(analyst("bea"), "RETURN 1 AS x", None)
            except (Refused, DatabaseError):
                await asyncio.sleep(0.1)
    assert found.rows == [[1]]
    await hosted.close()


async def test_a_run_that_is_over_is_not_ended_again(own: Graph) -> None:
    run = own.engine.run
    assert run is not None
    assert own.engine.end(run + 1) is False
    assert own.engine.run == run
