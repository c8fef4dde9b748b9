"""The real application on the shared graph, and people with keys who call it over HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from api.service import application
from api.shown import Shown
from graph.bootstrap import Graph, ensure_operator
from graph.identities import IdentityKind
from graph.keys import Scope
from tests.api.client import Person
from tests.support import Agents

People = Callable[..., Awaitable[tuple[Person, ...]]]


@pytest.fixture(scope="session")
def app(graph: Graph) -> FastAPI:
    """Return the real application."""
    return application(graph)


@pytest.fixture
def shown(app: FastAPI) -> Shown:
    """Return what the application's callers were shown and is still to be written."""
    found: Shown = app.state.runtime.shown
    return found


@pytest_asyncio.fixture(scope="session")
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of the real application, in this process."""
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://heliograph.test", timeout=120) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def people(graph: Graph, agents: Agents, http: httpx.AsyncClient) -> People:
    """Return a function that registers agents of these names and gives each a key of scope agent."""

    async def register(*names: str, kind: IdentityKind = IdentityKind.AGENT) -> tuple[Person, ...]:
        handles = await agents(*names, kind=kind)
        keys = [await graph.keys.issue(graph.database, graph.clock, handle, {Scope.AGENT}) for handle in handles]
        secrets = [key.secret.get_secret_value() for key in keys]
        return tuple(Person(http, handle, secret) for handle, secret in zip(handles, secrets, strict=True))

    return register


@pytest_asyncio.fixture(scope="session")
async def operator(graph: Graph, http: httpx.AsyncClient) -> Person:
    """Return the operator, with the key of the key file."""
    path = await ensure_operator(graph)
    return Person(http, "@operator", path.read_text(encoding="ascii").strip())


@pytest_asyncio.fixture(scope="session")
async def analyst(graph: Graph, agents: Agents, http: httpx.AsyncClient) -> Person:
    """Return somebody with a key of scope analyst, and no other."""
    (handle,) = await agents("analyst", kind=IdentityKind.HUMAN)
    key = await graph.keys.issue(graph.database, graph.clock, handle, {Scope.ANALYST})
    return Person(http, handle, key.secret.get_secret_value())


@pytest.fixture(scope="session")
def nobody(http: httpx.AsyncClient) -> Person:
    """Return somebody who sends no key."""
    return Person(http)
