"""The large store beside a small one on a server of its own: the same requests of both, in turn.

Measured one after the other, a minute in which the machine is slow would look like a size that costs something.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from bench.letters import READER
from bench.measuring import BASE, Growth, measure_growth
from bench.requests import Requests
from bench.scripts import bare_driver
from bench.service import service, temporary_home
from bench.store import Store
from cli.output import remark
from cli.progress import Steps
from graph.bootstrap import open_graph
from graph.settings import load_settings


async def growths(large: Requests, seconds: float, base: int = BASE) -> list[Growth]:
    """Return how each thing that is measured grew from a store of ``base`` messages to the large one."""
    found: list[Growth] = []
    async with _small(base) as small:
        for one, other in zip(await small.pairs(), await large.pairs(), strict=True):
            remark(f"Measuring at {base:,} and {large.store.size:,} in turn: {one.what}, {one.clients} client(s) …")
            found.append(await measure_growth((base, one), (large.store.size, other), seconds))
    return found


@asynccontextmanager
async def _small(size: int) -> AsyncIterator[Requests]:
    """Give a store of that size on a server of its own, for the block."""
    with temporary_home() as home:
        async with service(home) as running, await open_graph(load_settings(home=home)) as graph:
            store = Store(graph)
            keys = await store.prepare()
            headers = {"authorization": f"Bearer {keys[READER]}"}
            with Steps("Loading") as steps:
                await store.grow(size, steps)
            await running.rest()
            async with (
                httpx.AsyncClient(base_url=running.url, headers=headers, timeout=60) as client,
                bare_driver(graph.connection) as driver,
            ):
                yield Requests(store, client, driver)
