"""The figures, for people and for programs."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.measuring import BUDGET_MS, BUDGET_RATIO, Figures
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
VERDICTS = {True: "kept", False: "missed", None: "none"}


def show(figures: Sequence[Figures], rates: dict[int, float], machine: dict[str, Any]) -> None:
    """Print a table on a terminal, else a line for each measurement."""
    print_table(COLUMNS, map(_row, figures), title="HTTP beside the same Cypher through the driver")
    for size, rate in rates.items():
        remark(f"Loaded up to {size:,} messages at {rate:,.0f} a second.")
    remark(f"Budget for one client: HTTP p50 at most {BUDGET_RATIO:g} times raw, or {BUDGET_MS:g} ms more.")
    remark(", ".join(f"{name} {value}" for name, value in machine.items()))


def save(path: Path, figures: Sequence[Figures], rates: dict[int, float], machine: dict[str, Any]) -> None:
    """Write everything as JSON."""
    measured = [asdict(each) | {"ratio": each.ratio, "within_budget": each.within_budget} for each in figures]
    content = {"machine": machine, "loaded_per_second": rates, "figures": measured}
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
