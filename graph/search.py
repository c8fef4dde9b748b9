"""Search over messages: full text in what the reader may see, newest first.

The full-text index knows no order in time but what it is told in words, so a page is gathered in windows of time, from
the newest backwards: a window in which little was found is followed by a wider one, and of one that holds more than
fits the newest part is taken and the rest looked at more closely. What is found does not depend on where they lie.

The index follows the commits a moment later, so that sending does not wait for it. Every query waits for it instead:
what was acknowledged before a search began is found by it, and what was retracted is not (decision 0012).
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from graph.concepts import filed_names
from graph.database import TRANSACTION_SECONDS, Database, Row
from graph.errors import DatabaseTimeout
from graph.messages import message_cards
from graph.queries import query
from graph.readers import Reader
from graph.records import Delivery, MessageCard, Page, delivery
from graph.rules.moments import LAST_PLACE, MILLISECOND, Window, id_at, place, place_of
from graph.rules.searching import readable_by, saying, within, written_by
from graph.scanning import COUNT_MOST, LAST_ID, SCAN_MOST, Total

FOUND, NEWEST = query("search/found"), query("search/newest")
DELIVERIES = query("mailbox/deliveries")

#: Hits that one query of a page takes at most: few when every hit is a row, more when filters throw hits away.
PLAIN_HITS, FILTERED_HITS = 150, 500
#: Queries that a page makes at most, so that many thin windows end as well.
QUERIES_MOST = 40
#: How long one query may take, its wait for the index included.
ANSWER_SECONDS = TRANSACTION_SECONDS
#: The first window is as wide as the newest so many messages of all; the next one at most so many times as wide.
SAMPLE, WIDER = 500, 1 << 10


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Where to search; None lets everything pass, several ``tags`` must all be there, times are of the message itself.

    ``tags`` are the reader's own where the message is in his mailbox, each there as an alias too, and with
    ``include_narrower`` as any narrower concept; ``unread``, either way, finds only what is in his mailbox.
    """

    sender: str | None = None
    tags: tuple[str, ...] = ()
    thread: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    unread: bool | None = None
    include_narrower: bool = False

    @property
    def sifts(self) -> bool:
        """Whether it needs to look at the messages that were found; the sender is a word of the index."""
        return replace(self, include_narrower=False) != SearchFilter(sender=self.sender)

    def parameters(self, groups: Sequence[Sequence[str]] | None = None) -> dict[str, Any]:
        """Return the filter as the parameters of ``search/found``.

        ``groups`` are the names that each tag may be there under, the tag alone if not given.
        """
        return {
            "filtered": bool(self.tags) or self.unread is not None,
            "tags": ([[tag] for tag in self.tags] if groups is None else groups) or None,
            "thread": self.thread,
            "since": self.since,
            "until": self.until,
            "unread": self.unread,
        }


@dataclass(slots=True)
class _Gathering:
    """A page being gathered window by window. ``lowest`` is the oldest message that was found, fitting or not."""

    ids: list[str] = field(default_factory=list)
    lowest: str | None = None
    scanned: int = 0
    queries: int = 0
    exhausted: bool = False

    def goes_on(self, first: int) -> bool:
        bounded = self.scanned >= SCAN_MOST or self.queries >= QUERIES_MOST
        return not self.exhausted and len(self.ids) <= first and not (bounded and self.lowest is not None)


async def search(
    database: Database, reader: Reader, terms: Sequence[str], chosen: SearchFilter, first: int, before: str | None
) -> Page[MessageCard, str]:
    """Return up to ``first`` messages below the id ``before`` that have every term in subject or body, newest first.

    No terms find nothing. A page takes about 5,000 hits of the index at most; one that meets this bound comes back
    short, with ``has_next``. ``end`` is the id of a message that the reader may see.
    """
    reach = await _reach(database, chosen, before) if terms else None
    if reach is None:
        return Page((), has_next=False, end=None)
    asked = await _Asked.of(database, reader, terms, chosen)
    gathered = await _gather(asked, reach, first, before or LAST_ID)
    shown = gathered.ids[:first]
    more = len(gathered.ids) > first
    cards = await message_cards(database, reader, shown)
    # What was retracted or deleted meanwhile is not there any more.
    items = tuple(cards[id_] for id_ in shown if id_ in cards)
    return Page(items, more or not gathered.exhausted, shown[-1] if more else gathered.lowest)


async def _gather(asked: "_Asked", reach: "_Reach", first: int, before: str) -> _Gathering:
    gathered, limit = _Gathering(), FILTERED_HITS if asked.chosen.sifts else PLAIN_HITS
    window = reach.window
    while gathered.goes_on(first):
        words = window.words
        row = await asked.find(words, limit, before)
        found = row["found"]
        gathered.queries += 1
        gathered.scanned += min(found, limit)
        gathered.ids += row["ids"]
        gathered.lowest = row["lowest"] or gathered.lowest
        if found > limit and len(words) == 1 and window.span == 1:
            # More than fits in the narrowest window there is: as many as it takes.
            limit *= 10
        elif found > limit:
            # Its score says which word of the window was not heard to the end.
            window = Window.of(words[-round(row["least"])])
        elif window.bottom <= reach.floor:
            gathered.exhausted = True
        else:
            # As wide as to find half of what fits, if mail came as densely before.
            window = window.below(min(WIDER, max(1, limit // (2 * found))) if found else WIDER)
    return gathered


async def search_total(database: Database, reader: Reader, terms: Sequence[str], chosen: SearchFilter) -> Total:
    """Return how many messages the search finds, counted to 10,000."""
    reach = await _reach(database, chosen, None) if terms else None
    if reach is None:
        return Total(0, capped=False)
    everything = Window.between(reach.floor, reach.window.top)
    asked = await _Asked.of(database, reader, terms, chosen)
    row = await asked.count(everything)
    return Total(min(row["fitting"], COUNT_MOST), capped=row["found"] > COUNT_MOST)


async def own_entries(database: Database, mailbox: str, ids: Sequence[str]) -> dict[str, Delivery]:
    """Return the mailbox's entries of these messages, by message id."""
    rows = await database.fetch(DELIVERIES, {"mailbox": mailbox, "ids": list(ids)})
    return {entry.message.id: entry for entry in map(delivery, rows)}


@dataclass(frozen=True, slots=True)
class _Asked:
    """One search, ready to be asked of any window."""

    database: Database
    reader: Reader
    terms: Sequence[str]
    chosen: SearchFilter
    filters: Mapping[str, Any]

    @classmethod
    async def of(cls, database: Database, reader: Reader, terms: Sequence[str], chosen: SearchFilter) -> Self:
        """Return the search with what its tags mean. Raises Refused for a tag that means too many concepts."""
        groups = await filed_names(database, chosen.tags, narrower=chosen.include_narrower)
        return cls(database, reader, terms, chosen, chosen.parameters(groups))

    async def find(self, words: Sequence[str], limit: int, before: str) -> Row:
        """Return the row of ``search/found`` for the window of these words."""
        return await self._row(within(words), limit, before, counting=False)

    async def count(self, window: Window) -> Row:
        """Return the row of ``search/found`` that counts what the window has, to one above 10,000."""
        narrow = self.chosen.since is not None or self.chosen.until is not None
        return await self._row(within(window.words) if narrow else "", COUNT_MOST, LAST_ID, counting=True)

    async def _row(self, when: str, limit: int, before: str, *, counting: bool) -> Row:
        rights = "" if self.reader.everything else readable_by(self.reader.handle, self.reader.mailboxes)
        sender = "" if self.chosen.sender is None else written_by(self.chosen.sender)
        parameters = {
            "words": " ".join((rights, sender, when, saying(self.terms))),
            "limit": limit,
            "most": 0 if counting else limit,
            "counting": counting,
            "before": before,
            "mailbox": self.reader.handle,
            **self.filters,
        }
        try:
            # The server ends a query that takes too long, but not its wait for the index.
            async with asyncio.timeout(ANSWER_SECONDS):
                (row,) = await self.database.fetch(FOUND, parameters)
        except TimeoutError as error:
            raise DatabaseTimeout("The full-text index did not catch up in time; try again shortly.") from error
        return row


@dataclass(frozen=True, slots=True)
class _Reach:
    """The window that a search begins with, and the place below which there is nothing to find."""

    window: Window
    floor: int


async def _reach(database: Database, chosen: SearchFilter, before: str | None) -> _Reach | None:
    """Return where to search, None when nothing can be found.

    The first window ends at the newest message of all that comes into question: what lies after that is empty. How far
    it reaches down is measured by what everybody sent about then, so that it holds few hits in an hour of a million
    messages as in an hour of ten: the index looks at every hit of a window before it knows which are the newest.
    """
    below = before or LAST_ID
    if chosen.until is not None:
        below = min(below, id_at(min(LAST_PLACE, place_of(chosen.until) + 2 * MILLISECOND)))
    (row,) = await database.fetch(NEWEST, {"before": below, "sample": SAMPLE})
    if row["newest"] is None:
        return None
    newest, oldest, floor = place(row["newest"]), place(row["oldest"]), place(row["first"])
    if chosen.since is not None:
        # An id may say a millisecond less than the message's time, or more, which is compared exactly.
        floor = max(floor, place_of(chosen.since) - MILLISECOND)
    if newest < floor:
        return None
    window = Window(newest, newest - oldest + 1)
    return _Reach(window.whole if below == LAST_ID else window, floor)
