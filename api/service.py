"""The whole service for an opened graph, as one ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from api.app import create_app
from api.context import context_getter
from api.limits import Limits
from api.runtime import Runtime
from api.schema import build_schema
from graph.bootstrap import Graph


def application(graph: Graph, limits: Limits | None = None) -> FastAPI:
    """Return the application that serves ``graph``. The caller closes the graph, after the application has ended."""
    chosen = limits or Limits(messages=graph.limits)
    runtime = Runtime.of(graph, chosen)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        runtime.cypher.announce()
        async with runtime.sweeping():
            yield
        await runtime.finish()

    app = create_app(build_schema(chosen), context_getter(runtime), limits=chosen, lifespan=lifespan)
    app.state.runtime = runtime
    return app
