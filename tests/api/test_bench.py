"""The benchmark still asks what the program answers; what it takes is measured elsewhere, on a quiet machine."""

from unittest.mock import Mock

import httpx
from neo4j import AsyncGraphDatabase

from bench.letters import READER
from bench.requests import Requests
from bench.store import LEAST, Store
from graph.bootstrap import Graph


async def test_each_pair_is_answered_both_ways(graph: Graph, http: httpx.AsyncClient) -> None:
    store = Store(graph)
    keys = await store.prepare()
    loaded = await store.grow(LEAST, Mock())
    assert loaded.size == LEAST
    http.headers["authorization"] = f"Bearer {keys[READER]}"
    at = graph.connection
    auth = at.username, at.password.get_secret_value()
    try:
        async with AsyncGraphDatabase.driver(at.uri, auth=auth, notifications_min_severity="OFF") as driver:
            for pair in await Requests(store, http, driver).pairs():
                assert await pair.http() > 0, pair.what
                assert await pair.raw() > 0, pair.what
    finally:
        del http.headers["authorization"]
