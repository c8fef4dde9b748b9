"""The benchmark still asks what the program answers; what it takes is measured elsewhere, on a quiet machine."""

from unittest.mock import Mock

import httpx
import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from bench import bulk
from bench.letters import READER
from bench.requests import Requests
from bench.store import LEAST, Store
from graph.bootstrap import Graph
from graph.queries import Query

COUNT = Query("test/count", "MATCH (m:Message) RETURN count(m) AS messages")


async def messages(graph: Graph) -> int:
    """Return how many there are."""
    (row,) = await graph.database.fetch(COUNT)
    return int(row["messages"])


def driver_of(graph: Graph) -> AsyncDriver:
    """Return a bare driver."""
    at = graph.connection
    auth = at.username, at.password.get_secret_value()
    return AsyncGraphDatabase.driver(at.uri, auth=auth, notifications_min_severity="OFF")


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
        async with driver_of(graph) as driver:
            for pair in await Requests(store, http, driver).pairs():
                assert await pair.http() > 0, pair.what
                assert await pair.raw() > 0, pair.what
            began = await messages(graph)
            rates = await bulk.bulk_rates(store, driver, graph.connection.database, Mock())
            assert [rate.product > 0 and rate.raw > 0 for rate in rates] == [True, True]
            assert await messages(graph) == began + 4 * 20, "the driver alone writes what the write path does"
    finally:
        del http.headers["authorization"]
