"""The threads that a reader sees something of, newest activity first: by the newest message of each that he sees.

Messages are scanned from the newest on, in the order of their ids, in every mailbox that he may read and in what he
sent; a thread is listed where its newest one lies. So a page goes on from the message that listed its last thread, and
stays good while mail arrives: a thread that mail comes to meanwhile moves to the top, and no other one moves.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.concepts import filed_names
from graph.database import Database
from graph.ids import Prefix, lowest_id
from graph.queries import query
from graph.readers import Reader
from graph.records import Page
from graph.rules.standing import Rebuilt
from graph.scanning import LAST_ID, SCAN_MOST, page_window
from graph.threads import awaited_replies, rebuilt

NEWEST, NEWEST_ALL = query("threads/newest"), query("threads/newest_all")
UNLISTED, FITTING = query("threads/unlisted"), query("threads/fitting")

#: Threads are looked through in groups of about so many members, to stop soon after the page is full.
_LOOKED_THROUGH = 1_000
#: Most pages are full after so many messages for each of their threads; the first look goes no further.
_FIRST_LOOK, _FIRST_LEAST = 3, 60


@dataclass(frozen=True, slots=True)
class ThreadFilter:
    """Which threads to list; None lets everything pass. All of it is about messages that the reader sees.

    ``participant`` sent a message of the thread or is named in one; one message has all ``tags``, the reader's own
    where it lies in his mailbox; the newest is of ``active_since`` or later. With ``awaiting_me`` a reply of the
    reader's is awaited, with ``awaited_by_me`` one to a question of his, with ``open`` anybody's to anybody's.
    """

    participant: str | None = None
    tags: tuple[str, ...] = ()
    include_narrower: bool = False
    active_since: datetime | None = None
    awaiting_me: bool = False
    awaited_by_me: bool = False
    open: bool = False

    @property
    def awaiting(self) -> bool:
        """Whether it matters whose reply is awaited."""
        return self.awaiting_me or self.awaited_by_me or self.open

    @property
    def looks_through(self) -> bool:
        """Whether a thread's messages decide, and not only its newest one."""
        return self.participant is not None or bool(self.tags) or self.awaiting


@dataclass(frozen=True, slots=True)
class ListedThread:
    """A thread and its newest message that the reader sees, by ids."""

    id: str
    newest: str


@dataclass(frozen=True, slots=True)
class _Window:
    """The messages scanned, newest first, each with its thread; ``end`` is where the next window begins."""

    messages: tuple[ListedThread, ...]
    scanned: int
    end: str | None


async def threads(
    database: Database, reader: Reader, chosen: ThreadFilter, first: int, before: str | None, members: int
) -> Page[ListedThread, str]:
    """Return up to ``first`` threads whose newest message, as the reader sees it, has an id below ``before``.

    Scans at most 5,000 messages, those of the threads that a filter looks through among them; a page that hits that
    bound comes back short, with ``has_next``. ``members`` is how many of a thread it is rebuilt from.
    """
    names = await filed_names(database, chosen.tags, narrower=chosen.include_narrower)
    since = "" if chosen.active_since is None else lowest_id(Prefix.MESSAGE, chosen.active_since)
    start = position = before or LAST_ID
    seen: set[str] = set()
    found: list[ListedThread] = []
    scanned, exhausted = 0, False
    while not exhausted and len(found) <= first and scanned < SCAN_MOST:
        size = page_window(1 if reader.everything else 1 + len(reader.mailboxes), first)
        if scanned == 0:
            size = min(size, max(_FIRST_LEAST, _FIRST_LOOK * (first + 1)))
        window = await _window(database, reader, size, position, since)
        scanned += window.scanned
        fresh = [one for one in _first_of_each(window.messages) if one.id not in seen]
        seen.update(one.id for one in fresh)
        sizes = await _unlisted(database, reader, [one.id for one in fresh], start)
        candidates = [one for one in fresh if one.id in sizes]
        exhausted, position = window.end is None, window.end or position
        if not chosen.looks_through:
            found += candidates
            continue
        left = len(candidates)
        for group in _groups(candidates, sizes):
            found += await _fitting(database, reader, chosen, names, group, members)
            scanned += sum(sizes[one.id] for one in group)
            left -= len(group)
            if left and (len(found) > first or scanned >= SCAN_MOST):
                exhausted, position = False, group[-1].newest
                break
    items = tuple(found[:first])
    more = len(found) > first
    return Page(items, more or not exhausted, items[-1].newest if more else position)


async def _window(database: Database, reader: Reader, size: int, before: str, since: str) -> _Window:
    """Scan ``size`` messages of every source; what lies deeper than the shallowest of them waits."""
    asked = {"before": before, "since": since, "window": size}
    rows = await database.fetch(NEWEST_ALL if reader.everything else NEWEST, {**asked, **reader.parameters})
    by_source: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_source[row["source"]].append(row["id"])
    end = max((min(ids) for ids in by_source.values() if len(ids) >= size), default=None)
    kept = (row for row in rows if row["thread"] is not None and (end is None or row["id"] >= end))
    messages = (ListedThread(row["thread"], row["id"]) for row in kept)
    return _Window(tuple(sorted(messages, key=lambda one: one.newest, reverse=True)), len(rows), end)


async def _unlisted(database: Database, reader: Reader, ids: list[str], start: str) -> dict[str, int]:
    """Return which of these threads no earlier page listed, each with how many members it has."""
    rows = await database.fetch(UNLISTED, {"ids": ids, "start": start, **reader.parameters}) if ids else []
    return {row["id"]: row["members"] for row in rows}


async def _fitting(
    database: Database,
    reader: Reader,
    chosen: ThreadFilter,
    names: Sequence[Sequence[str]],
    group: Sequence[ListedThread],
    members: int,
) -> list[ListedThread]:
    """Return those of a group of threads that fit the filter, in order."""
    asked = {"ids": [one.id for one in group], "participant": chosen.participant, "tags": names or None}
    rows = await database.fetch(FITTING, {**asked, **reader.parameters})
    fitting = {
        row["id"]
        for row in rows
        if (row["asked"] or not chosen.awaiting_me)
        and (row["asking"] or not chosen.awaited_by_me)
        and (row["questions"] or not chosen.open)
    }
    if chosen.awaiting and fitting:
        fitting = await _awaiting(database, reader, chosen, await rebuilt(database, reader, sorted(fitting), members))
    return [one for one in group if one.id in fitting]


async def _awaiting(
    database: Database, reader: Reader, chosen: ThreadFilter, threads: Mapping[str, Rebuilt]
) -> set[str]:
    """Return those of the threads in which a reply is awaited as the filter wants it."""
    fitting = set(threads)
    if chosen.awaiting_me or chosen.open:
        awaited = await awaited_replies(database, reader, threads)
        agents = {id_: {one.agent for one in found} for id_, found in awaited.items()}
        fitting = {id_ for id_ in fitting if agents[id_] and (reader.handle in agents[id_] or not chosen.awaiting_me)}
    if chosen.awaited_by_me:
        mine = await awaited_replies(database, reader, threads, reader.handle)
        fitting = {id_ for id_ in fitting if mine[id_]}
    return fitting


def _first_of_each(messages: Sequence[ListedThread]) -> list[ListedThread]:
    newest: dict[str, ListedThread] = {}
    for one in messages:
        newest.setdefault(one.id, one)
    return list(newest.values())


def _groups(candidates: Sequence[ListedThread], sizes: dict[str, int]) -> Iterator[list[ListedThread]]:
    group: list[ListedThread] = []
    members = 0
    for one in candidates:
        group.append(one)
        members += sizes[one.id]
        if members >= _LOOKED_THROUGH:
            yield group
            group, members = [], 0
    if group:
        yield group
