"""``python -m bench``: start the service, fill it, and measure it at each size."""

import asyncio
from pathlib import Path
from typing import Annotated

import httpx
import typer

from bench import report
from bench.beside import growths
from bench.bulk import BulkRate, bulk_rates
from bench.letters import READER
from bench.measuring import BASE, Figures, Growth, measure
from bench.requests import Requests
from bench.scripts import bare_driver
from bench.sending import Sending, SendRate
from bench.service import service, temporary_home
from bench.store import Loaded, Store, sizes_of
from cli.output import remark
from cli.progress import Steps
from graph.bootstrap import open_graph
from graph.settings import load_settings


def main(
    sizes: Annotated[
        str, typer.Option(help="Messages in the store, which grows from one to the next.")
    ] = "1000,10000,100000",
    seconds: Annotated[float, typer.Option(min=1, help="How long each measurement takes.")] = 10,
    sends: Annotated[bool, typer.Option(help="Whether to measure many senders at once, at the last size.")] = True,
    json: Annotated[Path | None, typer.Option(help="A file for the figures.")] = None,
) -> None:
    """Measure what an answer costs over HTTP, beside what its Cypher costs through the driver."""
    asyncio.run(_bench(sizes_of(sizes), seconds, sends, json))


async def _bench(sizes: list[int], seconds: float, sends: bool, file: Path | None) -> None:
    figures: list[Figures] = []
    loaded: list[Loaded] = []
    rates: list[SendRate] = []
    bulk: list[BulkRate] = []
    grown: list[Growth] = []
    gaps = 0
    remark("Starting Heliograph on a temporary home …")
    with temporary_home() as home:
        async with service(home) as running, await open_graph(load_settings(home=home)) as graph:
            machine = report.machine((await graph.server_info()).version)
            store = Store(graph)
            keys = await store.prepare()
            headers = {"authorization": f"Bearer {keys[READER]}"}
            async with (
                httpx.AsyncClient(base_url=running.url, headers=headers, timeout=60) as client,
                bare_driver(graph.connection) as driver,
            ):
                requests = Requests(store, client, driver)
                for size in sizes:
                    with Steps("Loading") as steps:
                        loaded.append(await store.grow(size, steps))
                    remark(f"The database came to rest after {await running.rest()} s.")
                    for pair in await requests.pairs():
                        remark(f"Measuring at {size:,} messages: {pair.what}, {pair.clients} client(s) …")
                        figures.append(await measure(size, pair, seconds))
                if sizes[-1] > BASE:
                    grown = await growths(requests, seconds)
                if sends:
                    with Steps("Loading") as steps:
                        bulk = await bulk_rates(store, driver, graph.connection.database, steps)
            if sends:
                remark("Measuring many senders …")
                sending = Sending(store, keys, home, seconds)
                rates, gaps = await sending.rates(), await sending.gaps()
    report.show(figures, grown, loaded, bulk, rates, gaps, machine)
    if file is not None:
        report.save(file, figures, grown, loaded, bulk, rates, gaps, machine)


if __name__ == "__main__":
    typer.run(main)
