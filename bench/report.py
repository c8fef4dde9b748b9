"""The figures, for people and for programs."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.bulk import BulkRate
from bench.measuring import BUDGET_MS, BUDGET_RATIO, Figures, Growth
from bench.sending import SendRate
from bench.store import LAST, Loaded
from cli.output import print_table, remark

COLUMNS = (
    "messages",
    "what",
    "clients",
    "HTTP p50 ms",
    "HTTP p99 ms",
    "raw p50 ms",
    "raw p99 ms",
    "ratio",
    "HTTP/s",
    "raw/s",
    "budget",
)
GROWTH_COLUMNS = ("what", "clients", "HTTP", "raw")
SENDING_COLUMNS = ("level", "to", "clients", "together", "sends/s", "p50 ms", "p99 ms", "tried again")
VERDICTS = {True: "kept", False: "missed", None: "none"}


def show(
    figures: Sequence[Figures],
    grown: Sequence[Growth],
    loaded: Sequence[Loaded],
    bulk: Sequence[BulkRate],
    rates: Sequence[SendRate],
    gaps: int,
    machine: dict[str, Any],
) -> None:
    """Print tables on a terminal, else a line for each measurement."""
    print_table(COLUMNS, map(_row, figures), title="HTTP beside the same Cypher through the driver")
    largest = max(each.size for each in figures)
    if grown:
        title = f"p50 at {largest:,} messages, in times of that at {grown[0].small.size:,}, asked in turn"
        print_table(GROWTH_COLUMNS, map(_growth_row, grown), title=title)
    if rates:
        print_table(SENDING_COLUMNS, map(_sending_row, rates), title=f"Sends at {largest:,} messages")
        remark(f"Mailboxes with a gap in their uids: {gaps}.")
    for each in loaded:
        remark(
            f"Loaded up to {each.size:,} messages at {each.per_second:,.0f} a second, "
            f"the last {min(LAST, each.size):,} at {each.per_second_last:,.0f}."
        )
    for rate in bulk:
        remark(
            f"In bulk at {rate.size:,}, {rate.what}: {rate.product:,.0f} a second by the write path, "
            f"{rate.raw:,.0f} by the driver alone."
        )
    remark(f"Budget for one client: HTTP p50 at most {BUDGET_RATIO:g} times raw, or {BUDGET_MS:g} ms more.")
    remark(", ".join(f"{name} {value}" for name, value in machine.items()))


def save(
    path: Path,
    figures: Sequence[Figures],
    grown: Sequence[Growth],
    loaded: Sequence[Loaded],
    bulk: Sequence[BulkRate],
    rates: Sequence[SendRate],
    gaps: int,
    machine: dict[str, Any],
) -> None:
    """Write everything as JSON."""
    content = {
        "machine": machine,
        "loaded": [asdict(each) for each in loaded],
        "bulk": [asdict(rate) for rate in bulk],
        "figures": [asdict(each) | {"ratio": each.ratio, "within_budget": each.within_budget} for each in figures],
        "growth": [asdict(each) | {"http": each.http, "raw": each.raw} for each in grown],
        "sending": [asdict(each) for each in rates],
        "mailboxes_with_gaps": gaps,
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def machine(neo4j: str) -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "cores": os.cpu_count(),
        "load before": round(os.getloadavg()[0], 1),
        "Python": platform.python_version(),
        "Neo4j": neo4j,
    }


def _row(each: Figures) -> Sequence[str]:
    return (
        f"{each.size:,}",
        each.what,
        str(each.clients),
        f"{each.http.p50:.1f}",
        f"{each.http.p99:.1f}",
        f"{each.raw.p50:.1f}",
        f"{each.raw.p99:.1f}",
        f"{each.ratio:.2f}",
        f"{each.http.per_second:.0f}",
        f"{each.raw.per_second:.0f}",
        VERDICTS[each.within_budget],
    )


def _growth_row(each: Growth) -> Sequence[str]:
    return each.what, str(each.clients), f"{each.http:.2f}", f"{each.raw:.2f}"


def _sending_row(each: SendRate) -> Sequence[str]:
    return (
        each.level,
        each.to,
        str(each.clients),
        str(each.together),
        f"{each.per_second:.0f}",
        f"{each.p50:.1f}",
        f"{each.p99:.1f}",
        str(each.retried),
    )
