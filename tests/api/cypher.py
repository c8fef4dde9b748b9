"""A server on which analysts may ask in Cypher: the shared graph, served once more with the setting on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx

from api.limits import Limits
from api.service import application
from graph.bootstrap import Graph


@asynccontextmanager
async def asking(graph: Graph, limits: Limits | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of such a server."""
    switched = replace(graph, settings=graph.settings.model_copy(update={"analyst_cypher": True}))
    app = application(switched, limits)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://asking.test", timeout=120) as client,
    ):
        yield client
    await switched.committer.close()
