"""What the command prints: tables and colours for a person at a terminal, plain lines or JSON for everything else.

Results go to standard output and everything said about them to standard error, so that a pipe gets results alone.
"""

import json
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text


def results() -> Console:
    """Return the console for results. It is made anew, since a test or a pipe may have replaced the stream."""
    return Console(highlight=False)


def remarks() -> Console:
    """Return the console for what is said about results."""
    return Console(stderr=True, highlight=False)


def remark(text: str) -> None:
    """Say something about a result. Lines are not folded, so that commands in them can be copied."""
    remarks().print(safe(text), soft_wrap=True)


def fail(message: str) -> None:
    """Print an error as one line."""
    line = Text("error: ", style="bold red")
    remarks().print(line + safe(" ".join(message.split())), soft_wrap=True)


def print_json(value: object) -> None:
    """Print plain data as JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    # A program that waits for it must not wait for a buffer to fill.
    sys.stdout.flush()


def print_lines(text: str) -> None:
    """Print text as it is, without folding or colouring it."""
    results().print(safe(text), soft_wrap=True)


def print_fields(fields: Iterable[tuple[str, str]], title: str | None = None) -> None:
    """Print names and their values below each other."""
    console = results()
    if title is not None:
        console.print(Text(title, style="bold"))
    pairs = list(fields)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        console.print(Text("  ") + Text(name.ljust(width), style="dim") + Text("  ") + safe(value), soft_wrap=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
    """Print rows: a table on a terminal, else a line of column names and one line a row, separated by tabs."""
    console = results()
    if not console.is_terminal:
        for row in (columns, *rows):
            sys.stdout.write("\t".join(safe(cell, keep="").plain for cell in row) + "\n")
        return
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*map(safe, row))
    console.print(table)


def safe(text: str, keep: str = "\n") -> Text:
    """Return text that shows as it is: no markup is read in it, and no control character reaches the terminal."""
    return Text("".join(char if char.isprintable() or char in keep else "\N{REPLACEMENT CHARACTER}" for char in text))
