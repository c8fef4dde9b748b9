"""``heliograph export``: messages as JSON Lines, and who writes to whom as a graph, of what a key may see."""

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.client import Remote, ask, find_operator
from cli.options import HomeOption, KeyFileOption, UrlOption
from cli.output import remark
from cli.progress import Steps
from graph.errors import ConfigurationError
from graph.exporting import GraphFormat
from graph.rules.links import Measured
from graph.rules.walking import EdgeType

exports = typer.Typer(no_args_is_help=True, help="Write mail, or who writes to whom, for other programs.")

_PAGE = "edges { node { id } } pageInfo { hasNextPage endCursor } totalCount @include(if: $counting) jsonLines"
HISTORY = f"""
query($of: Address, $since: DateTime, $until: DateTime, $after: String, $counting: Boolean!) {{
  senderHistory(handle: $of, since: $since, until: $until) {{
    messages(first: 100, after: $after) {{ {_PAGE} }}
  }}
}}
"""
BETWEEN = f"""
query(
  $between: [Address!]!, $ticket: String, $since: DateTime, $until: DateTime, $after: String, $counting: Boolean!
) {{
  correspondence(between: $between, ticket: $ticket, since: $since, until: $until, first: 100, after: $after) {{
    {_PAGE}
  }}
}}
"""
GRAPH = """
query($filter: ConversationFilter, $by: ConversationWeight, $format: GraphFormat!) {
  conversationGraph(filter: $filter, by: $by) { export(format: $format) messages capped since truncated }
}
"""

SUBGRAPH = """
query($seed: ID!, $hops: Int!, $limit: Int!, $via: [EdgeType!], $format: GraphFormat!) {
  subgraph(seed: $seed, hops: $hops, limit: $limit, via: $via) { export(format: $format) stopped }
}
"""

#: Before everything.
EVER = "0001-01-01T00:00:00Z"

OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write. [default: standard output]")]
SinceOption = Annotated[str | None, typer.Option("--since", help="When the period begins, as 2026-01-01T00:00:00Z.")]
UntilOption = Annotated[str | None, typer.Option("--until", help="When it has ended. [default: now]")]


@exports.command("messages")
def export_messages(
    of: Annotated[str | None, typer.Option("--of", help="Whose messages. [default: one's own]")] = None,
    between: Annotated[
        list[str] | None, typer.Option("--between", help="Agents whose mail to each other to write; give 2 to 10.")
    ] = None,
    ticket: Annotated[
        str | None, typer.Option("--ticket", help="With --between: what they wrote about a ticket, such as repo#123.")
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    out: OutOption = None,
    url: UrlOption = None,
    key_file: KeyFileOption = None,
    home: HomeOption = None,
) -> None:
    """Write messages as JSON Lines, oldest first. With --out, a file that is there already is gone on with."""
    if of and between:
        raise ConfigurationError("Both --of and --between are given: name one of them.")
    if ticket and not between:
        raise ConfigurationError("--ticket is given without --between: name the agents who wrote about it.")
    remote = find_operator(url, key_file, home)
    asked = {"of": of, "between": between, "ticket": ticket, "since": since, "until": until}
    with Steps("Exporting messages") as steps:
        if out is None:
            for lines in _pages(remote, asked, steps):
                sys.stdout.write(lines)
            return
        written = _gone_on_with(out, remote, asked, steps)
    remark(f"{written} messages were written to {out}.")


@exports.command("graph")
def export_graph(
    form: Annotated[GraphFormat, typer.Option("--format", help="How it is written.", case_sensitive=False)],
    since: SinceOption = None,
    until: UntilOption = None,
    among: Annotated[
        list[str] | None, typer.Option("--among", help="Addresses that sender and recipient must be of.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Tags that a message must have, all of them.")] = None,
    thread: Annotated[str | None, typer.Option("--thread", help="The thread it must be in.")] = None,
    by: Annotated[Measured, typer.Option("--by", help="What weights count.", case_sensitive=False)] = Measured.MESSAGES,
    out: OutOption = None,
    url: UrlOption = None,
    key_file: KeyFileOption = None,
    home: HomeOption = None,
) -> None:
    """Write who writes to whom in a period, by default the last 30 days."""
    remote = find_operator(url, key_file, home)
    chosen = {"since": since, "until": until, "among": among or None, "tags": tag or None, "thread": thread}
    asked = {"filter": chosen, "by": by.value, "format": form.value}
    with Steps("Exporting the conversation"):
        found = ask(remote, GRAPH, asked)["conversationGraph"]
    _write(found["export"], out)
    if found["capped"]:
        remark(f"Only the newest {found['messages']} messages were counted, those since {found['since']}.")
    if found["truncated"]:
        remark("Only the addresses and links with most mail were written.")


@exports.command("subgraph")
def export_subgraph(
    seed: Annotated[str, typer.Argument(help="The id of a node, such as @ada, a message's or ticket:repo#123.")],
    form: Annotated[GraphFormat, typer.Option("--format", help="How it is written.", case_sensitive=False)],
    hops: Annotated[int, typer.Option("--hops", min=1, help="How many edges away.")] = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many nodes at most.")] = 100,
    via: Annotated[
        list[EdgeType] | None, typer.Option("--via", help="Edges of these types only.", case_sensitive=False)
    ] = None,
    out: OutOption = None,
    url: UrlOption = None,
    key_file: KeyFileOption = None,
    home: HomeOption = None,
) -> None:
    """Write what lies around a node of the graph."""
    remote = find_operator(url, key_file, home)
    types = [one.value for one in via] if via else None
    asked = {"seed": seed, "hops": hops, "limit": limit, "via": types, "format": form.value}
    with Steps("Exporting a piece of the graph"):
        found = ask(remote, SUBGRAPH, asked)["subgraph"]
    if found is None:
        raise ConfigurationError(f"{seed} is no node that this key may see: name another.")
    _write(found["export"], out)
    if found["stopped"]:
        remark("There is more around it than was written.")


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8", newline="")


def _gone_on_with(out: Path, remote: Remote, asked: Mapping[str, Any], steps: Steps) -> int:
    """Write to a file what it does not have yet, and return how many lines that is."""
    known, last = _kept(out)
    # What was sent at the moment of the last line may be there in part, so it is asked for again.
    left = {**asked, "since": last or asked["since"]}
    written = 0
    with out.open("a", encoding="utf-8", newline="") as file:
        for lines in _pages(remote, left, steps):
            fresh = [line for line in lines.splitlines(keepends=True) if json.loads(line)["id"] not in known]
            file.writelines(fresh)
            # Whoever goes on after a crash finds whole pages, but for one torn line.
            file.flush()
            written += len(fresh)
    return written


def _kept(out: Path) -> tuple[set[str], str | None]:
    """Return the ids in a file from before, and the time of the last; a line that was torn at its end is cut off."""
    if not out.exists():
        return set(), None
    ids: set[str] = set()
    last: str | None = None
    whole = 0
    with out.open("rb") as file:
        for line in file:
            try:
                said = json.loads(line)
                datetime.fromisoformat(said["createdAt"])
                ids.add(said["id"])
            except (ValueError, TypeError, KeyError) as error:
                if line.endswith(b"\n"):
                    raise ConfigurationError(f"{out} is not an export of messages; name another file.") from error
                break
            if not line.endswith(b"\n"):
                ids.discard(said["id"])
                break
            last = said["createdAt"]
            whole += len(line)
    with out.open("r+b") as file:
        file.truncate(whole)
    return ids, last


def _pages(remote: Remote, asked: Mapping[str, Any], steps: Steps) -> Iterator[str]:
    after: str | None = None
    more = True
    while more:
        said = {**asked, "since": asked["since"] or EVER, "after": after, "counting": after is None}
        if asked["between"]:
            page = ask(remote, BETWEEN, said)["correspondence"]
        else:
            page = ask(remote, HISTORY, said)["senderHistory"]["messages"]
        if after is None:
            steps.start(page["totalCount"], "Messages")
        steps.advance(len(page["edges"]))
        yield page["jsonLines"]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    steps.done()
