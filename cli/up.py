"""``heliograph up``: the database, the API on it, and how to reach both, until a signal ends them."""

import asyncio
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import HomeOption, JsonOption
from cli.output import print_json, print_lines, remark
from cli.readiness import Ready, claim_ready_file, remove_ready_file, write_ready_file
from cli.running import opened, run
from cli.seeding import load_demo, show_demo
from graph.bootstrap import Graph, ensure_operator
from graph.settings import Settings, load_settings

if TYPE_CHECKING:
    from seed.demo import DemoSummary


@dataclass(frozen=True, slots=True)
class Wish:
    """What the options of one ``up`` ask for."""

    demo: bool
    ready_file: Path | None
    as_json: bool
    exposed: bool


def up(
    home: HomeOption = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    demo: Annotated[bool, typer.Option("--demo", help="Also load the demo, unless it is there.")] = False,
    ready_file: Annotated[
        Path | None,
        typer.Option(
            help="File to write when ready, and to remove at the end: JSON with addresses and secrets, mode 0600."
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Start Heliograph: the database (unless NEO4J_URI names one), its schema, and the API. Ctrl-C ends it."""
    # Imported here, as is all of the API below, so that the small commands start without a web framework.
    from api.server import bind

    settings = load_settings(home=home)
    if ready_file is not None:
        claim_ready_file(ready_file)
    # First of all, so that a taken port is known now and not after a minute of downloads.
    with bind(host, port) as listener:
        exposed = not ip_address(listener.getsockname()[0]).is_loopback
        try:
            run(_run(settings, listener, Wish(demo, ready_file, as_json, exposed)))
        finally:
            if ready_file is not None:
                remove_ready_file(ready_file)
    remark("Heliograph has stopped.")


async def _run(settings: Settings, listener: socket.socket, wish: Wish) -> None:
    async with opened(settings) as graph:
        key_file = await ensure_operator(graph)
        await _serve(graph, key_file, listener, wish)


async def _serve(graph: Graph, key_file: Path, listener: socket.socket, wish: Wish) -> None:
    """Serve until a signal arrives, and tell once it is ready. Raises what kept it from that."""
    from api.server import serve
    from api.service import application

    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()

    def on_ready(url: str) -> None:
        # A signal may have come just before, and then nobody waits any more.
        if not ready.done():
            ready.set_result(url)

    serving = asyncio.create_task(
        serve(application(graph), listener=listener, on_ready=on_ready, stop=stop), name="serving"
    )
    announcing = asyncio.create_task(_announce(graph, key_file, ready, wish), name="announcing")
    try:
        await asyncio.wait({serving, announcing}, return_when=asyncio.FIRST_COMPLETED)
        if announcing.done():
            await announcing
        await asyncio.wait({serving})
    finally:
        announcing.cancel()
        stop.set()
        # Requests that are being answered finish before the graph is closed under them.
        await serving


async def _announce(graph: Graph, key_file: Path, url: asyncio.Future[str], wish: Wish) -> None:
    """Wait until the API answers, do what else was asked for, then tell everybody."""
    ready = Ready.of(graph, await url, key_file)
    summary: DemoSummary | None = None
    if wish.demo:
        summary = await load_demo(ready.url, ready.operator_key)
    if wish.ready_file is not None:
        write_ready_file(wish.ready_file, ready)
    if wish.as_json:
        print_json(ready.without_secrets())
        return
    print_lines(ready.as_text())
    if summary is not None:
        show_demo(summary, ready.graphql_url)
    if wish.exposed:
        remark("Other machines can reach this address, and keys cross the network unencrypted: put TLS in front of it.")
    remark("Ctrl-C stops it.")
