"""What one sent: by time, by tag and by recipient, each from an index of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graph.concepts import filed_names
from graph.database import Database
from graph.queries import Query, query
from graph.records import MessageCard, Page, message_card, moment
from graph.scanning import LAST_ID, SCAN_MOST, Scan, Total, count_window, page_window, rarest

ALL, TO, TAG = query("mailbox/sent"), query("mailbox/sent_to"), query("mailbox/sent_tag")
COUNTS = query("mailbox/sent_counts")

FIRST_MOMENT, LAST_MOMENT = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
#: Where ``sent_counts`` puts the recipient, which has no position among the tags.
_RECIPIENT = -1


@dataclass(frozen=True, slots=True)
class SentFilter:
    """Which sent messages to list; ``since`` and ``until`` are inclusive and by the message's own date.

    Several ``tags`` must all be there; a tag is there as an alias too, and with ``include_narrower`` as any narrower
    concept.
    """

    to: str | None = None
    tags: tuple[str, ...] = ()
    thread: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_narrower: bool = False

    @property
    def selects_all(self) -> bool:
        """Whether the driving index alone answers it, so that no scanned message is thrown away."""
        return self.thread is None and len(self.tags) + (self.to is not None) <= 1

    @property
    def start(self) -> tuple[datetime, str]:
        """The time and id that the newest message it may select lies before."""
        return self.until or LAST_MOMENT, LAST_ID


@dataclass(frozen=True, slots=True)
class _Question:
    """A filter as a query answers it: which one, how many index scans that merges, and what it is asked."""

    driver: Query
    scans: int
    parameters: dict[str, Any]


async def sent(
    database: Database, sender: str, chosen: SentFilter, first: int, before: tuple[datetime, str] | None
) -> Page[MessageCard, tuple[datetime, str]]:
    """Return up to ``first`` messages sent before that time and id, newest first; bounded like an inbox page."""
    question = await _question(database, sender, chosen)
    window = first + 1 if chosen.selects_all else page_window(question.scans, first)

    scan, position = Scan(), min(before or chosen.start, chosen.start)
    while not scan.exhausted and len(scan.items) <= first and scan.scanned < SCAN_MOST:
        (row,) = await database.fetch(question.driver, _asked(question, position, window, counting=False))
        scan.add(row["messages"], row["scanned"], window, question.scans)
        position = (moment(row["lastTime"]), row["lastId"]) if row["lastId"] is not None else position
    items = tuple(message_card(message) for message in scan.items[:first])
    more = len(scan.items) > first
    end = (items[-1].created_at, items[-1].id) if more else position
    return Page(items, more or not scan.exhausted, end)


async def sent_total(database: Database, sender: str, chosen: SentFilter) -> Total:
    """Return how many messages the filter selects, counted to 10,000."""
    question = await _question(database, sender, chosen)
    window = count_window(question.scans)
    (row,) = await database.fetch(question.driver, _asked(question, chosen.start, window, counting=True))
    return Total.of(row["fitting"], row["scanned"], window)


def sent_parameters(sender: str, chosen: SentFilter, groups: Sequence[Sequence[str]], driving: int) -> dict[str, Any]:
    """Return the filter as the parameters of the queries of what one sent.

    ``groups`` are the names that each tag may stand under; ``driving`` says which of them the tag index looks up.
    """
    return {
        "sender": sender,
        "to": chosen.to,
        "tags": groups or None,
        "concepts": groups[driving] if groups else None,
        "thread": chosen.thread,
        "since": chosen.since or FIRST_MOMENT,
    }


async def _question(database: Database, sender: str, chosen: SentFilter) -> _Question:
    groups = await filed_names(database, chosen.tags, narrower=chosen.include_narrower)
    driving = 0 if groups else _RECIPIENT
    if len(groups) + (chosen.to is not None) > 1:
        asked = {
            "sender": sender,
            "groups": groups,
            "to": [] if chosen.to is None else [chosen.to],
            "beforeTime": chosen.until or LAST_MOMENT,
            "since": chosen.since or FIRST_MOMENT,
        }
        driving = rarest(await database.fetch(COUNTS, asked), "sent")
    parameters = sent_parameters(sender, chosen, groups, max(driving, 0))
    if driving != _RECIPIENT:
        return _Question(TAG, len(groups[driving]), parameters)
    return _Question(ALL if chosen.to is None else TO, 1, parameters)


def _asked(question: _Question, before: tuple[datetime, str], window: int, *, counting: bool) -> dict[str, Any]:
    time, id_ = before
    return {**question.parameters, "beforeTime": time, "beforeId": id_, "window": window, "counting": counting}
