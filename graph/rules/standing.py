"""How a thread stands, by what one reader sees of it: where it begins, what nobody answered yet, who is waited for.

Whoever is named in To of a message that expects a reply is asked, by its sender. He has answered it when he sent
anything below it: a reply, a reply to a reply of others and so on, or a direct reply that began a thread of its own.
Who is asked several times is waited for until he has answered each. A role or a broadcast asks nobody in particular,
one asks nothing of oneself, and a retracted question asks nobody. What he does not see neither asks nor answers.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.rules.threads import Member, Place


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A thread as a reader sees it: its rows, and the visible members by id; not ``complete`` where it was cut."""

    places: Sequence[Place]
    members: Mapping[str, Member]
    complete: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a message asks, by handle, and who answered it in a thread that forked off there."""

    agents: tuple[str, ...] = ()
    elsewhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Awaited:
    """Somebody whose reply is awaited: since when, and to which message, the oldest of those he owes one."""

    agent: str
    message: str
    since: datetime


def by_time(member: Member) -> tuple[datetime, str]:
    """Return what messages of one time are ordered by: the time and then the id."""
    return member.created_at, member.id


def roots(thread: Rebuilt) -> list[Member]:
    """Return the messages above which the reader sees none of the thread, oldest first."""
    ends, end = _ends(thread.places), 0
    found = []
    for row, place in enumerate(thread.places):
        if place.message is not None and row >= end:
            found.append(thread.members[place.message])
            end = ends[row]
    return sorted(found, key=by_time)


def heads(thread: Rebuilt) -> list[Member]:
    """Return the messages below which the reader sees none of the thread, newest first."""
    ends = _ends(thread.places)
    found = (
        thread.members[place.message]
        for row, place in enumerate(thread.places)
        # A gap has something visible below it, so a row without anything below is no gap.
        if place.message is not None and ends[row] == row + 1
    )
    return sorted(found, key=by_time, reverse=True)


def questions(thread: Rebuilt) -> list[Member]:
    """Return the messages that expect a reply, oldest first."""
    return sorted((member for member in thread.members.values() if member.asks), key=by_time)


def awaited(thread: Rebuilt, asked: Iterable[tuple[Member, Asked]]) -> list[Awaited]:
    """Return whose replies are awaited, who waits longest first; ``asked`` are the questions, oldest first."""
    row_of = {place.message: row for row, place in enumerate(thread.places) if place.message is not None}
    ends = _ends(thread.places)
    rows_by: dict[str, list[int]] = defaultdict(list)
    for id_, row in row_of.items():
        if (sender := thread.members[id_].sender) is not None:
            rows_by[sender].append(row)
    found: dict[str, Awaited] = {}
    for question, of in asked:
        row = row_of[question.id]
        for agent in of.agents:
            if agent == question.sender or agent in found or agent in of.elsewhere:
                continue
            rows = rows_by.get(agent, [])
            below = bisect_right(rows, row)
            if below == len(rows) or rows[below] >= ends[row]:
                found[agent] = Awaited(agent, question.id, question.created_at)
    return list(found.values())


def _ends(places: Sequence[Place]) -> list[int]:
    """Return for each row the one after the last row below it."""
    ends = [len(places)] * len(places)
    above: list[int] = []
    for row, place in enumerate(places):
        while above and places[above[-1]].depth >= place.depth:
            ends[above.pop()] = row
        above.append(row)
    return ends
