"""The server on a real socket: the port it takes, when it is ready, and how it stops."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse

from api.app import create_app
from api.guard import Schema, guards
from api.limits import Limits
from api.server import LOOPBACK, bind, serve, url_of
from graph.errors import ConfigurationError, DatabaseUnreachable, PortTaken
from tests.api.shell import Query, context, only_error

ROOT = Path(__file__).parents[2]

PROGRAM = """
import asyncio
from api.server import serve
from starlette.responses import PlainTextResponse

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": kind + ".complete"})
            if kind == "lifespan.shutdown":
                print("closed", flush=True)
                return
    print("asked", flush=True)
    await asyncio.sleep(0.5)
    await PlainTextResponse("answered")(scope, receive, send)

asyncio.run(serve(app, on_ready=lambda url: print(url, flush=True)))
print("returned", flush=True)
"""


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[str]:
    """Serve an application and give its URL."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    task = asyncio.create_task(serve(app, on_ready=ready.set_result, stop=stop))
    try:
        yield await ready
    finally:
        stop.set()
        await task


async def test_port_0_takes_a_free_port_on_loopback_and_says_which() -> None:
    app = FastAPI()
    app.add_route("/", lambda _: PlainTextResponse("here"))
    async with running(app) as url, httpx.AsyncClient() as client:
        assert url.startswith(f"http://{LOOPBACK}:")
        response = await client.get(url)
        assert response.text == "here"
        assert "server" not in response.headers


async def test_the_port_is_free_again_at_once_after_a_stop() -> None:
    app = FastAPI()
    async with running(app) as url, httpx.AsyncClient() as client:
        await client.get(url)
    bind(port=int(url.rpartition(":")[2])).close()


async def test_a_taken_port_is_refused_before_anything_starts() -> None:
    started = False

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        nonlocal started
        started = True
        yield

    with bind() as holder:
        port = holder.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Port {port} on 127.0.0.1 is taken.*another port"):
            await serve(FastAPI(lifespan=lifespan), port=port)
    assert not started


@pytest.mark.parametrize(("host", "port"), [("256.1.1.1", 0), (LOOPBACK, 70_000), ("192.0.2.1", 0)])
def test_an_address_that_is_not_ours_is_a_clear_error(host: str, port: int) -> None:
    with pytest.raises(ConfigurationError, match=host.replace(".", r"\.")):
        bind(host, port)


def test_the_url_is_one_that_this_machine_can_open() -> None:
    with bind("0.0.0.0") as anywhere:  # noqa: S104 - closed at once
        assert url_of(anywhere) == f"http://127.0.0.1:{anywhere.getsockname()[1]}"
    if socket.has_ipv6:
        with bind("::1") as six:
            assert url_of(six) == f"http://[::1]:{six.getsockname()[1]}"


async def test_what_keeps_the_application_from_starting_is_raised() -> None:
    async def connect() -> None:
        raise DatabaseUnreachable("Nothing answers.")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await connect()
        yield

    with pytest.raises(DatabaseUnreachable, match="Nothing answers"):
        await serve(FastAPI(lifespan=lifespan))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_running_requests_finish(number: signal.Signals) -> None:
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, stdout=asyncio.subprocess.PIPE, cwd=ROOT, env={**os.environ, "PYTHONPATH": "."}
    )
    assert program.stdout is not None
    url = (await program.stdout.readline()).decode().strip()
    async with httpx.AsyncClient() as client:
        request = asyncio.create_task(client.get(url))
        assert await program.stdout.readline() == b"asked\n"
        program.send_signal(number)
        assert (await request).text == "answered"
    assert await program.stdout.read() == b"closed\nreturned\n"
    assert await program.wait() == 0


async def test_a_body_that_is_too_large_is_refused_over_a_real_connection() -> None:
    async def too_much() -> AsyncIterator[bytes]:
        for _ in range(50):
            yield b" " * 1000

    limits = Limits(max_request_bytes=10_000)
    app = create_app(Schema(query=Query, extensions=guards(limits)), context, limits=limits)
    async with running(app) as url, httpx.AsyncClient() as client:
        headers = {"content-type": "application/json"}
        for content in (too_much(), b" " * 50_000):
            response = await client.post(f"{url}/graphql", content=content, headers=headers)
            assert response.status_code == 413
            assert only_error(response)["extensions"]["limit"] == "maxRequestBytes"
        assert (await client.post(f"{url}/graphql", json={"query": "{ id }"})).json() == {"data": {"id": "0"}}
