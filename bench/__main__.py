"""``python -m bench``: start the service, fill it, and measure it at each size."""

import asyncio
from pathlib import Path
from typing import Annotated

import httpx
import typer
from neo4j import AsyncDriver, AsyncGraphDatabase

from bench import report
from bench.measuring import Figures, measure
from bench.requests import Requests
from bench.service import service
from bench.store import LEAST, Store
from cli.output import remark
from cli.progress import Steps
from graph.bootstrap import open_graph
from graph.engine import Connection
from graph.settings import load_settings


def main(
    sizes: Annotated[str, typer.Option(help="Messages in the store, one number after the other.")] = "1000,100000",
    seconds: Annotated[float, typer.Option(min=1, help="How long each measurement takes.")] = 10,
    json: Annotated[Path | None, typer.Option(help="A file for the figures.")] = None,
) -> None:
    """Measure what an answer costs over HTTP, beside what its Cypher costs through the driver."""
    asyncio.run(_bench(_sizes(sizes), seconds, json))


def _sizes(written: str) -> list[int]:
    try:
        sizes = sorted({int(size) for size in written.replace("_", "").split(",")})
    except ValueError:
        raise typer.BadParameter(f"{written!r} is not a list of numbers such as 1000,100000.") from None
    if sizes[0] < LEAST:
        raise typer.BadParameter(f"{sizes[0]} messages are too few to measure; the least is {LEAST}.")
    return sizes


async def _bench(sizes: list[int], seconds: float, file: Path | None) -> None:
    figures: list[Figures] = []
    rates: dict[int, float] = {}
    remark("Starting Heliograph on a temporary home …")
    async with service() as (home, url), await open_graph(load_settings(home=home)) as graph:
        machine = report.machine((await graph.server_info()).version)
        store = Store(graph)
        headers = {"authorization": f"Bearer {await store.prepare()}"}
        async with (
            httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client,
            _driver(graph.connection) as driver,
        ):
            requests = Requests(store, client, driver)
            for size in sizes:
                with Steps("Loading") as steps:
                    await store.grow(size, steps)
                rates[size] = store.rate
                for pair in await requests.pairs():
                    remark(f"Measuring at {size:,} messages: {pair.what}, {pair.clients} client(s) …")
                    figures.append(await measure(size, pair, seconds))
    report.show(figures, rates, machine)
    if file is not None:
        report.save(file, figures, rates, machine)


def _driver(at: Connection) -> AsyncDriver:
    """Return a bare driver that, like the service's own, is not told what the server thinks of a query."""
    auth = at.username, at.password.get_secret_value()
    return AsyncGraphDatabase.driver(at.uri, auth=auth, notifications_min_severity="OFF")


if __name__ == "__main__":
    typer.run(main)
