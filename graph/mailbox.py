"""The mailbox: its inbox by the most selective index, and what one sent."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from graph.database import Database, Row
from graph.queries import Query, query
from graph.records import Delivery, MessageCard, Page, delivery, message_card, moment
from graph.rules.drafts import Priority
from graph.rules.planning import Via
from graph.rules.states import State

PLAIN, UNREAD, ALL = query("mailbox/inbox_plain"), query("mailbox/inbox_unread"), query("mailbox/inbox_all")
SENDER, THREAD, TAG = query("mailbox/inbox_sender"), query("mailbox/inbox_thread"), query("mailbox/inbox_tag")
SENT = query("mailbox/sent")
STATE = query("mailbox/state")

#: Larger than any uid; a query names every property of its index, so a first page says it too (DESIGN §2).
TOP = 9007199254740991
#: Entries that a filtered page scans at most, and how many of them in one query.
SCAN_MOST, SCAN_WINDOW = 5_000, 500
#: A total that no counter gives is counted no further than this.
COUNT_MOST = 10_000

FIRST_MOMENT, LAST_MOMENT = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
LAST_ID = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """Which entries to list; None lets everything pass, and several ``tags`` must all be there."""

    unread: bool | None = None
    sender: str | None = None
    tags: tuple[str, ...] = ()
    thread: str | None = None
    priority: Priority | None = None
    since: datetime | None = None
    via: Via | None = None
    include_archived: bool = False

    def parameters(self) -> dict[str, Any]:
        """Return the filter as the parameters of the inbox queries."""
        return {
            "unread": self.unread,
            "sender": self.sender,
            "tags": self.tags or None,
            "concept": self.tags[0] if self.tags else None,
            "thread": self.thread,
            "priority": self.priority,
            "since": self.since,
            "via": self.via,
            "includeArchived": self.include_archived,
        }

    def driver(self) -> Query:
        """Return the query of the most selective index that the filter allows."""
        if self.thread is not None:
            return THREAD
        if self.tags and not self.include_archived:
            return TAG
        if self.sender is not None:
            return SENDER
        if self.include_archived:
            return ALL
        return UNREAD if self.unread else PLAIN

    @property
    def selects_all(self) -> bool:
        """Whether the driving index alone answers it, so that no scanned entry is thrown away."""
        return self in (InboxFilter(), InboxFilter(unread=True), InboxFilter(include_archived=True)) or (
            self == InboxFilter(sender=self.sender) or self == InboxFilter(tags=self.tags[:1])
        )


@dataclass(frozen=True, slots=True)
class Inbox:
    """A page of entries, newest first. ``state`` is not newer than the page; ``unread_count`` is that of the inbox."""

    page: Page[Delivery, int]
    state: State
    unread_count: int


@dataclass(frozen=True, slots=True)
class SentFilter:
    """Which sent messages to list; ``since`` and ``until`` are inclusive and by the message's own date."""

    to: str | None = None
    tags: tuple[str, ...] = ()
    thread: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """A count; ``capped`` when it stopped before the end and the true one is at least this."""

    count: int
    capped: bool


@dataclass(slots=True)
class _Scan:
    """A filtered page being gathered window by window."""

    items: list[Row] = field(default_factory=list)
    scanned: int = 0
    exhausted: bool = False


async def inbox(database: Database, mailbox: str, chosen: InboxFilter, first: int, before: int | None) -> Inbox:
    """Return up to ``first`` entries with a uid below ``before``, newest first.

    A filtered page scans at most 5,000 entries; one that hits that bound comes back short, with ``has_next``.
    """
    window = first + 1 if chosen.selects_all else SCAN_WINDOW
    parameters = {"mailbox": mailbox, "counting": False, "window": window, **chosen.parameters()}

    scan, position = _Scan(), before or TOP
    state, unread = State(0, 1), 0
    while not scan.exhausted and len(scan.items) <= first and scan.scanned < SCAN_MOST:
        (row,) = await database.fetch(chosen.driver(), {**parameters, "before": position})
        if scan.scanned == 0:
            # The state is that of before the first window, so it is never newer than the page.
            state, unread = State(row["state"], row["uidNext"]), row["unreadCount"]
        scan.items += row["entries"]
        scan.scanned += row["scanned"]
        scan.exhausted = row["scanned"] < window
        position = row["lastUid"] if row["lastUid"] is not None else position
    items = tuple(delivery(entry) for entry in scan.items[:first])
    more = len(scan.items) > first
    end = items[-1].uid if more else position
    return Inbox(Page(items, more or not scan.exhausted, end), state, unread)


async def inbox_total(database: Database, mailbox: str, chosen: InboxFilter) -> Total:
    """Return how many entries the filter selects: from the counter where there is one, else counted to 10,000."""
    if chosen == InboxFilter(unread=True):
        (row,) = await database.fetch(STATE, {"mailbox": mailbox})
        return Total(row["unreadCount"], capped=False)
    parameters = {"mailbox": mailbox, "counting": True, "window": COUNT_MOST + 1, "before": TOP, **chosen.parameters()}
    (row,) = await database.fetch(chosen.driver(), parameters)
    return Total(min(row["fitting"], COUNT_MOST), capped=row["scanned"] > COUNT_MOST)


async def sent(
    database: Database, sender: str, chosen: SentFilter, first: int, before: tuple[datetime, str] | None
) -> Page[MessageCard, tuple[datetime, str]]:
    """Return up to ``first`` messages sent before that time and id, newest first; bounded like ``inbox``."""
    filtered = chosen.to is not None or bool(chosen.tags) or chosen.thread is not None
    window = SCAN_WINDOW if filtered else first + 1
    parameters = {**_sent_parameters(sender, chosen), "counting": False, "window": window}

    scan, position = _Scan(), before or (chosen.until or LAST_MOMENT, LAST_ID)
    while not scan.exhausted and len(scan.items) <= first and scan.scanned < SCAN_MOST:
        (row,) = await database.fetch(SENT, {**parameters, "beforeTime": position[0], "beforeId": position[1]})
        scan.items += row["messages"]
        scan.scanned += row["scanned"]
        scan.exhausted = row["scanned"] < window
        position = (moment(row["lastTime"]), row["lastId"]) if row["lastId"] is not None else position
    items = tuple(message_card(message) for message in scan.items[:first])
    more = len(scan.items) > first
    end = (items[-1].created_at, items[-1].id) if more else position
    return Page(items, more or not scan.exhausted, end)


async def sent_total(database: Database, sender: str, chosen: SentFilter) -> Total:
    """Return how many messages the filter selects, counted to 10,000."""
    parameters = {
        **_sent_parameters(sender, chosen),
        "counting": True,
        "window": COUNT_MOST + 1,
        "beforeTime": chosen.until or LAST_MOMENT,
        "beforeId": LAST_ID,
    }
    (row,) = await database.fetch(SENT, parameters)
    return Total(min(row["fitting"], COUNT_MOST), capped=row["scanned"] > COUNT_MOST)


def _sent_parameters(sender: str, chosen: SentFilter) -> dict[str, Any]:
    return {
        "sender": sender,
        "to": chosen.to,
        "tags": chosen.tags or None,
        "thread": chosen.thread,
        "since": chosen.since or FIRST_MOMENT,
    }
