"""Threads: rebuilt in causal order for one reader, who sees of them what he may (DESIGN §3.8, §3.10)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.database import Database
from graph.errors import RefusalCode, Refused
from graph.queries import query
from graph.readers import Reader
from graph.records import Page, moment
from graph.rules.threads import Member, Place, after, rebuild

OF_MESSAGE, SKELETON = query("threads/of_message"), query("threads/skeleton")
SUBJECTS, COUNTS = query("threads/subjects"), query("threads/counts")
PARTICIPANTS, FORKS = query("threads/participants"), query("threads/forks")


@dataclass(frozen=True, slots=True)
class ThreadCard:
    """A thread as its reader knows it: the subject and time of the oldest message of it that he may see."""

    id: str
    subject: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Forks:
    """The message that a thread forked off, and the threads that forked off it; only what the reader may see."""

    origin: str | None
    threads: tuple[str, ...]


async def thread_of(database: Database, reader: Reader, message: str) -> str | None:
    """Return the id of the thread that a message is in; None when the reader may not see the message."""
    rows = await database.fetch(OF_MESSAGE, {"id": message, **reader.parameters})
    return rows[0]["thread"] if rows else None


async def thread_cards(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, ThreadCard]:
    """Return the threads of these ids of which ``reader`` sees at least one message."""
    rows = await database.fetch(SUBJECTS, {"ids": list(ids), **reader.parameters})
    return {row["id"]: ThreadCard(row["id"], row["subject"], moment(row["createdAt"])) for row in rows}


async def message_counts(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, int]:
    """Return how many messages of each thread ``reader`` may see."""
    rows = await database.fetch(COUNTS, {"ids": list(ids), **reader.parameters})
    return {row["id"]: row["messageCount"] for row in rows}


async def participants(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the handles of who sent, or was named in, the messages of each thread that ``reader`` may see."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in await database.fetch(PARTICIPANTS, {"ids": list(ids), **reader.parameters}):
        found[row["id"]].append(row["handle"])
    return found


async def forks(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, Forks]:
    """Return where each thread forked off and what forked off it."""
    found = {id_: Forks(None, ()) for id_ in ids}
    for row in await database.fetch(FORKS, {"ids": list(ids), **reader.parameters}):
        known = found[row["thread"]]
        if row["direction"] == "FROM":
            found[row["thread"]] = Forks(row["other"], known.threads)
        else:
            found[row["thread"]] = Forks(known.origin, (*known.threads, row["other"]))
    return found


async def rebuilt(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, list[Place]]:
    """Return the rows of each thread in causal order, as ``reader`` sees it; no rows where he sees nothing."""
    members: dict[str, list[Member]] = {id_: [] for id_ in ids}
    for row in await database.fetch(SKELETON, {"ids": list(ids), **reader.parameters}):
        members[row["thread"]].append(
            Member(row["id"], moment(row["createdAt"]), row["parent"], row["visible"], row["missing"])
        )
    return {id_: rebuild(of_thread) for id_, of_thread in members.items()}


def thread_page(places: Sequence[Place], first: int, position: tuple[str, int] | None) -> Page[Place, tuple[str, int]]:
    """Return up to ``first`` rows after the row that ``position`` names.

    Raises Refused when that row is not in the thread any more.
    """
    start: int | None = 0 if position is None else after(places, *position)
    if start is None:
        raise Refused(
            RefusalCode.INVALID_INPUT, "after is not a cursor of this thread; start without it.", field="after"
        )
    items = tuple(places[start : start + first])
    return Page(items, start + first < len(places), (items[-1].anchor, items[-1].above) if items else None)
