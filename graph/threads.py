"""Threads: rebuilt in causal order for one reader, who sees of them what he may (DESIGN §3.8, §3.10)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.database import Database
from graph.errors import RefusalCode, Refused
from graph.queries import query
from graph.readers import Reader
from graph.records import Page, moment, optional_moment
from graph.rules.limits import THREAD_MEMBERS
from graph.rules.standing import Asked, Awaited, Rebuilt, awaited, questions
from graph.rules.threads import Member, Place, after, rebuild

OF_MESSAGE, SKELETON = query("threads/of_message"), query("threads/skeleton")
SUBJECTS, COUNTS = query("threads/subjects"), query("threads/counts")
PARTICIPANTS, FORKS = query("threads/participants"), query("threads/forks")
ASKED = query("threads/asked")

#: The threads of one list are rebuilt together, from this many times the members of the largest one.
TOGETHER = 5
#: How many questions are looked up at once; each may ask a hundred people.
QUESTIONS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class ThreadCard:
    """A thread as its reader knows it: the ``first`` is the oldest message of it that he may see, by id.

    Subject and time are those of this message. ``memory`` is the id of the memory that it answers, whether or not he
    may see that.
    """

    id: str
    first: str
    subject: str
    created_at: datetime
    memory: str | None


@dataclass(frozen=True, slots=True)
class Span:
    """How many messages of a thread its reader may see, and when the last of them was sent; None for none."""

    messages: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Participant:
    """Who sent or was named in what the reader sees of a thread: how many messages he sent, the last of them when."""

    handle: str
    messages: int
    last_at: datetime | None


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
    return {
        row["id"]: ThreadCard(row["id"], row["first"], row["subject"], moment(row["createdAt"]), row["memory"])
        for row in rows
    }


async def spans(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, Span]:
    """Return how many messages of each thread ``reader`` may see, and when the last one was sent."""
    rows = await database.fetch(COUNTS, {"ids": list(ids), **reader.parameters})
    return {row["id"]: Span(row["messageCount"], optional_moment(row["lastMessageAt"])) for row in rows}


async def participants(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, list[Participant]]:
    """Return who sent, or was named in, the messages of each thread that ``reader`` may see, by handle."""
    found: dict[str, list[Participant]] = defaultdict(list)
    for row in await database.fetch(PARTICIPANTS, {"ids": list(ids), **reader.parameters}):
        found[row["id"]].append(Participant(row["handle"], row["messages"], optional_moment(row["lastAt"])))
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


async def rebuilt(
    database: Database, reader: Reader, ids: Sequence[str], most: int = THREAD_MEMBERS
) -> dict[str, Rebuilt]:
    """Return each thread in causal order, as ``reader`` sees it; without rows where he sees nothing.

    A thread of more than ``most`` members is rebuilt from the oldest ones and not complete. Raises Refused with
    LIMIT_EXCEEDED when all together have more than five times as many.
    """
    members: dict[str, list[Member]] = {id_: [] for id_ in ids}
    asked = {"ids": list(ids), "most": most + 1, "limit": TOGETHER * most + 1, **reader.parameters}
    rows = await database.fetch(SKELETON, asked)
    if len(rows) > TOGETHER * most:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"These threads have more than {TOGETHER * most} messages together, {TOGETHER} times what one thread is "
            "rebuilt from (threadMembers); ask for fewer threads at a time.",
        )
    for row in rows:
        members[row["thread"]].append(
            Member(
                row["id"],
                moment(row["createdAt"]),
                row["parent"],
                row["visible"],
                row["missing"],
                row["sender"],
                row["asks"],
            )
        )
    return {id_: _rebuilt(of_thread, most) for id_, of_thread in members.items()}


async def awaited_replies(
    database: Database, reader: Reader, threads: Mapping[str, Rebuilt], asked_by: str | None = None
) -> dict[str, list[Awaited]]:
    """Return for each thread, by its id, whose replies are awaited in it, as ``graph.rules.standing`` decides.

    ``asked_by``: only what that handle asked counts; None: what anybody asked.
    """
    asking = {
        id_: [one for one in questions(thread) if asked_by is None or one.sender == asked_by]
        for id_, thread in threads.items()
    }
    ids = [one.id for of_thread in asking.values() for one in of_thread]
    agents: dict[str, list[str]] = defaultdict(list)
    elsewhere: dict[str, list[str]] = defaultdict(list)
    for start in range(0, len(ids), QUESTIONS_AT_ONCE):
        asked = {"ids": ids[start : start + QUESTIONS_AT_ONCE], **reader.parameters}
        for row in await database.fetch(ASKED, asked):
            (elsewhere if row["elsewhere"] else agents)[row["id"]].append(row["handle"])
    return {
        id_: awaited(
            threads[id_],
            (
                (one, Asked(tuple(sorted(agents.get(one.id, ()))), frozenset(elsewhere.get(one.id, ()))))
                for one in of_thread
            ),
        )
        for id_, of_thread in asking.items()
    }


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


def _rebuilt(members: list[Member], most: int) -> Rebuilt:
    complete = len(members) <= most
    if not complete:
        # Replies have later ids than what they answer, so that what is left still hangs together.
        members = sorted(members, key=lambda member: member.id)[:most]
    return Rebuilt(rebuild(members), {member.id: member for member in members if member.visible}, complete)
