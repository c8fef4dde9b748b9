"""Mail in bulk: the write path beside its own statements, prepared beforehand and run by the driver alone."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass

from neo4j import AsyncDriver

from bench.scripts import Script, play, send_script
from bench.store import Letter, Store
from graph.engine import Progress

#: Messages of one turn of each side, and turns of each.
TURN, TURNS = 20_000, 3


@dataclass(frozen=True, slots=True)
class BulkRate:
    """Messages of one kind a second in bulk, by the write path and by the driver alone."""

    what: str
    size: int
    product: float
    raw: float


async def bulk_rates(store: Store, driver: AsyncDriver, database: str, progress: Progress) -> list[BulkRate]:
    """Write letters as the store is made of, and then lines without tags, as many messages of each."""
    letters = store.letters
    return [
        await _rate("letters with three tags", letters.letter, store, driver, database, progress),
        await _rate("lines without tags", letters.line, store, driver, database, progress),
    ]


async def _rate(
    what: str, letter: Letter, store: Store, driver: AsyncDriver, database: str, progress: Progress
) -> BulkRate:
    """Write mail by turns in the one way and in the other, with the same two streams of disjoint mailboxes."""
    size, taken = store.size, {"product": 0.0, "raw": 0.0}
    for turn in range(1, TURNS + 1):
        progress.start(TURN, f"Writing {what} in bulk, turn {turn} of {TURNS}")
        prepared = store.streams(TURN, letter)
        began = time.monotonic()
        await store.load(prepared, progress)
        taken["product"] += time.monotonic() - began
        progress.done()
        scripts = [[await send_script(*batch) for batch in stream] for stream in store.streams(TURN, letter)]
        progress.start(TURN, f"The same by the driver alone, turn {turn} of {TURNS}")
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for stream in scripts:
                group.create_task(_play(driver, database, iter(stream), progress))
        taken["raw"] += time.monotonic() - began
        progress.done()
    return BulkRate(what, size, *(TURN * TURNS / seconds for seconds in taken.values()))


async def _play(driver: AsyncDriver, database: str, scripts: Iterator[Script], progress: Progress) -> None:
    for script in scripts:
        await play(driver, database, script)
        progress.advance(script.messages)
