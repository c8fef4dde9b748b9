"""``python -m bench.walks``: start the service, write the shapes, and walk them at each size of the store."""

import asyncio
from pathlib import Path
from typing import Annotated

import httpx
import typer

from bench.report import machine
from bench.scripts import bare_driver
from bench.service import service, temporary_home
from bench.store import Loaded, sizes_of
from bench.walks import report
from bench.walks.asking import Asking, Walk
from bench.walks.questions import questions
from bench.walks.shapes import Shapes
from cli.output import remark
from cli.progress import Steps
from graph.bootstrap import open_graph
from graph.settings import load_settings


def main(
    sizes: Annotated[
        str, typer.Option(help="Messages around the shapes, which grow from one to the next.")
    ] = "1000,10000,100000",
    seconds: Annotated[
        float, typer.Option(min=1, help="How long each measurement takes, and warming up before it.")
    ] = 10,
    json: Annotated[Path | None, typer.Option(help="A file for the figures.")] = None,
) -> None:
    """Measure threads, neighbours, paths, histories and conversations while the store grows around them."""
    asyncio.run(_walk(sizes_of(sizes), seconds, json))


async def _walk(sizes: list[int], seconds: float, file: Path | None) -> None:
    walks: list[Walk] = []
    loaded: list[Loaded] = []
    remark("Starting Heliograph on a temporary home …")
    with temporary_home() as home:
        async with service(home) as running, await open_graph(load_settings(home=home)) as graph:
            found = machine((await graph.server_info()).version)
            shapes = Shapes.around(graph)
            keys = await shapes.prepare()
            with Steps("Loading") as steps:
                await shapes.write(steps)
            async with (
                httpx.AsyncClient(base_url=running.url, timeout=60) as client,
                bare_driver(graph.connection) as driver,
            ):
                asking = Asking(shapes, client, driver, keys)
                for size in sizes:
                    with Steps("Loading") as steps:
                        loaded.append(await shapes.store.grow(size, steps))
                    for question in questions(shapes):
                        remark(f"Measuring with {size:,} messages around: {question.what} …")
                        walks.append(await asking.walk(size, question, seconds))
                    if file is not None:
                        # A long run that is broken off leaves what it found.
                        report.save(file, walks, loaded, shapes.sizes, found)
    report.show(walks, loaded, shapes.sizes, found)


if __name__ == "__main__":
    typer.run(main)
