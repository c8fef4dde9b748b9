"""``heliograph cypher``: one reading query of an analyst's own, asked of a server."""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.client import ask, find_remote
from cli.options import JsonOption, KeyFileOption, UrlOption
from cli.output import print_json, print_table, remark
from graph.errors import ConfigurationError

QUERY = """
query($query: String!, $parameters: JSON) {
  cypher(query: $query, parameters: $parameters) { columns rows rowCount byteCount truncated truncatedBy }
}
"""
_STDIN = "-"


def cypher(
    query: Annotated[str | None, typer.Argument(help="The query; - or nothing reads it from standard input.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="File that holds the query.")] = None,
    params: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="A parameter, name=value; the value is JSON, or else text. Repeatable."),
    ] = None,
    url: UrlOption = None,
    key_file: KeyFileOption = None,
    *,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, with a line of column names first.")] = False,
) -> None:
    """Ask the graph in Cypher, reading only; for a key of scope analyst, where the server's operator turned it on."""
    if as_json and as_csv:
        raise ConfigurationError("Both --json and --csv are given: name one of them.")
    asked = {"query": _text(query, file), "parameters": _parameters(params or [])}
    found = ask(find_remote(url, key_file, None), QUERY, asked)["cypher"]
    if as_json:
        print_json(found)
    elif as_csv:
        _print_csv(found["columns"], found["rows"])
    else:
        print_table(found["columns"], ([_cell(value) for value in row] for row in found["rows"]))
    if found["truncated"]:
        remark(
            f"There is more: the answer was cut at the server's limit of {found['truncatedBy'].lower()}, "
            f"{found['rowCount']} rows. Use LIMIT, or ask for less in each row."
        )


def _text(query: str | None, file: Path | None) -> str:
    """Return the query, from wherever it is. Raises ConfigurationError for two of them, or a file that is none."""
    if file is not None:
        if query is not None:
            raise ConfigurationError("Both QUERY and --file are given: name one of them.")
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"The query in {file} cannot be read ({error}).") from error
    return sys.stdin.read() if query in (None, _STDIN) else str(query)


def _parameters(said: Sequence[str]) -> Mapping[str, Any]:
    """Return parameters by name. What is no JSON is text, so that nobody has to quote ``@ada`` twice."""
    found: dict[str, Any] = {}
    for one in said:
        name, separator, value = one.partition("=")
        if not separator or not name:
            raise ConfigurationError(f"--param {one!r} is not name=value, such as who=@ada or since=2026.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _cell(value: object) -> str:
    """Return a value as people read it: text as it is, what has a type of its own by its value, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and set(value) == {"$type", "value"}:
        return str(value["value"])
    return json.dumps(value, ensure_ascii=False)


def _print_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    sys.stdout.flush()
