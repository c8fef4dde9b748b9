"""The figures of walks, for people and for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.measuring import BASE
from bench.store import LAST, Loaded
from bench.walks.asking import Walk
from bench.walks.shapes import Sizes
from cli.output import print_table, remark

COLUMNS = (
    "messages",
    "what",
    "HTTP p50 ms",
    "HTTP p99 ms",
    "raw p50 ms",
    "raw p99 ms",
    "database hits",
    "calls",
)
GROWTH_COLUMNS = ("what", "HTTP", "raw", "hits")


def show(walks: Sequence[Walk], loaded: Sequence[Loaded], sizes: Sizes, machine: dict[str, Any]) -> None:
    """Print tables on a terminal, else a line for each measurement."""
    print_table(COLUMNS, map(_row, walks), title="Walks, HTTP beside the same Cypher through the driver")
    if grown := growth(walks):
        largest, base = max(_sizes(walks)), _base(walks)
        title = f"p50 and hits with {largest:,} messages around, in times of those with {base:,}"
        print_table(GROWTH_COLUMNS, map(_growth_row, grown), title=title)
    remark(f"The shapes have {sizes.messages:,} messages of their own; the sizes are those of the mail around them.")
    for each in loaded:
        remark(
            f"Loaded up to {each.size:,} messages at {each.per_second:,.0f} a second, "
            f"the last {min(LAST, each.size):,} at {each.per_second_last:,.0f}."
        )
    remark(", ".join(f"{name} {value}" for name, value in machine.items()))


def growth(walks: Sequence[Walk]) -> list[dict[str, Any]]:
    """Return how many times the p50 and the hits at ``BASE`` messages, or the smallest size, the largest has."""
    largest, base = max(_sizes(walks)), _base(walks)
    before = {walk.figures.what: walk for walk in walks if walk.figures.size == base}
    if largest == base:
        return []
    return [
        {
            "what": walk.figures.what,
            "http": walk.figures.http.p50 / before[walk.figures.what].figures.http.p50,
            "raw": walk.figures.raw.p50 / before[walk.figures.what].figures.raw.p50,
            "hits": walk.hits / max(1, before[walk.figures.what].hits),
        }
        for walk in walks
        if walk.figures.size == largest
    ]


def save(path: Path, walks: Sequence[Walk], loaded: Sequence[Loaded], sizes: Sizes, machine: dict[str, Any]) -> None:
    """Write everything as JSON."""
    content = {
        "machine": machine,
        "shapes": asdict(sizes) | {"messages": sizes.messages},
        "loaded": [asdict(each) for each in loaded],
        "walks": [asdict(walk.figures) | {"hits": walk.hits} for walk in walks],
        "growth": growth(walks),
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _sizes(walks: Sequence[Walk]) -> set[int]:
    return {walk.figures.size for walk in walks}


def _base(walks: Sequence[Walk]) -> int:
    """Return the size to compare with: a smaller store was measured on a cold Java."""
    return BASE if BASE in _sizes(walks) else min(_sizes(walks))


def _row(walk: Walk) -> Sequence[str]:
    each = walk.figures
    return (
        f"{each.size:,}",
        each.what,
        f"{each.http.p50:.1f}",
        f"{each.http.p99:.1f}",
        f"{each.raw.p50:.1f}",
        f"{each.raw.p99:.1f}",
        f"{walk.hits:,}",
        f"{each.http.calls:,}",
    )


def _growth_row(each: dict[str, Any]) -> Sequence[str]:
    return each["what"], f"{each['http']:.2f}", f"{each['raw']:.2f}", f"{each['hits']:.2f}"
