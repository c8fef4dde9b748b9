"""The benchmark still asks what the program answers; what it takes is measured elsewhere, on a quiet machine."""

from dataclasses import replace
from unittest.mock import Mock

import httpx
import pytest

from bench import bulk, measuring
from bench.letters import READER
from bench.requests import Requests
from bench.scripts import bare_driver
from bench.store import LEAST, Store
from bench.walks import report
from bench.walks.asking import Asking
from bench.walks.questions import questions
from bench.walks.shapes import Shapes, Sizes
from graph.bootstrap import Graph
from graph.queries import Query

COUNT = Query("test/count", "MATCH (m:Message) RETURN count(m) AS messages")


async def messages(graph: Graph) -> int:
    """Return how many there are."""
    (row,) = await graph.database.fetch(COUNT)
    return int(row["messages"])


async def test_each_measurement_is_made_both_ways(
    graph: Graph, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "TURN", 20)
    monkeypatch.setattr(bulk, "TURNS", 1)
    store = Store(graph)
    keys = await store.prepare()
    loaded = await store.grow(LEAST, Mock())
    assert loaded.size == LEAST
    http.headers["authorization"] = f"Bearer {keys[READER]}"
    try:
        async with bare_driver(graph.connection) as driver:
            for pair in await Requests(store, http, driver).pairs():
                assert await pair.http() > 0, pair.what
                assert await pair.raw() > 0, pair.what
            inbox = (await Requests(store, http, driver).pairs())[0]
            monkeypatch.setattr(measuring, "LEAST_CALLS", 2)
            grown = await measuring.measure_growth((LEAST, inbox), (2 * LEAST, inbox), 0)
            assert [one.http.calls for one in (grown.small, grown.large)] == [2, 2], "each in its turn"
            assert grown.http == grown.large.http.p50 / grown.small.http.p50
            began = await messages(graph)
            rates = await bulk.bulk_rates(store, driver, graph.connection.database, Mock())
            assert [rate.product > 0 and rate.raw > 0 for rate in rates] == [True, True]
            assert await messages(graph) == began + 4 * 20, "the driver alone writes what the write path does"
    finally:
        del http.headers["authorization"]


async def test_each_walk_is_answered_and_its_cypher_counted(
    graph: Graph, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 5, points 3 and 4: what is measured is the answer that was meant, of the shapes that are counted."""
    monkeypatch.setattr(measuring, "LEAST_CALLS", 2)
    shapes = Shapes.around(graph, Sizes(threads=(10, 441), chronicler=50, annalist=60, clerks=21))
    keys = await shapes.prepare()
    began = await messages(graph)
    await shapes.write(Mock())
    assert await messages(graph) == began + shapes.sizes.messages
    await shapes.store.grow(LEAST, Mock())
    async with bare_driver(graph.connection) as driver:
        asking = Asking(shapes, http, driver, keys)
        walks = [await asking.walk(LEAST, question, 0) for question in questions(shapes)]
    for walk in walks:
        assert walk.hits > 0, walk
        assert walk.figures.http.calls == walk.figures.raw.calls == 2, walk
    assert len({walk.figures.what for walk in walks}) == len(walks), "each has a name of its own"
    assert report.growth(walks) == []
    larger = [replace(walk, figures=replace(walk.figures, size=2 * LEAST)) for walk in walks]
    assert {each["hits"] for each in report.growth([*walks, *larger])} == {1.0}
