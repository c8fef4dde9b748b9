"""The mailbox: its inbox by the most selective index."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from graph.concepts import filed_names
from graph.database import Database
from graph.queries import Query, query
from graph.records import Delivery, Page, delivery
from graph.rules.drafts import Priority
from graph.rules.marking import ARCHIVE, INBOX
from graph.rules.planning import Via
from graph.rules.states import State
from graph.scanning import SCAN_MOST, Scan, Total, count_window, page_window, rarest

PLAIN, UNREAD, ALL = query("mailbox/inbox_plain"), query("mailbox/inbox_unread"), query("mailbox/inbox_all")
SENDER, THREAD = query("mailbox/inbox_sender"), query("mailbox/inbox_thread")
TAG, TAG_UNREAD = query("mailbox/inbox_tag"), query("mailbox/inbox_tag_unread")
TAG_COUNTS = query("mailbox/tag_counts")
STATE = query("mailbox/state")

#: Larger than any uid; a query names every property of its index, so a first page says it too (DESIGN §2).
TOP = 9007199254740991


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """Which entries to list; None lets everything pass, and several ``tags`` must all be there.

    A tag is there as an alias too, and with ``include_narrower`` as any narrower concept.
    """

    unread: bool | None = None
    sender: str | None = None
    tags: tuple[str, ...] = ()
    thread: str | None = None
    priority: Priority | None = None
    since: datetime | None = None
    via: Via | None = None
    include_archived: bool = False
    include_narrower: bool = False

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders to look in."""
        return (INBOX, ARCHIVE) if self.include_archived else (INBOX,)

    def parameters(self, groups: Sequence[Sequence[str]] | None = None, driving: int = 0) -> dict[str, Any]:
        """Return the filter as the parameters of the inbox queries.

        ``groups`` are the names that each tag may be filed under, the tag alone if not given; ``driving`` says which
        of them to look up when the tag index serves.
        """
        named = [[tag] for tag in self.tags] if groups is None else groups
        return {
            "unread": self.unread,
            "sender": self.sender,
            "tags": named or None,
            "concepts": named[driving] if named else None,
            "folders": self.folders,
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
        if self.tags:
            return TAG_UNREAD if self.unread else TAG
        if self.sender is not None:
            return SENDER
        if self.include_archived:
            return ALL
        return UNREAD if self.unread else PLAIN

    @property
    def selects_all(self) -> bool:
        """Whether the driving index alone answers it, so that no scanned entry is thrown away."""
        chosen = replace(self, include_narrower=False)
        if self.tags:
            unread = None if self.unread is False else self.unread
            return chosen == InboxFilter(unread=unread, tags=self.tags[:1], include_archived=self.include_archived)
        return chosen in (InboxFilter(), InboxFilter(unread=True), InboxFilter(include_archived=True)) or (
            chosen == InboxFilter(sender=self.sender)
        )


@dataclass(frozen=True, slots=True)
class Inbox:
    """A page of entries, newest first. ``state`` is not newer than the page; ``unread_count`` is that of the inbox."""

    page: Page[Delivery, int]
    state: State
    unread_count: int


async def inbox(database: Database, mailbox: str, chosen: InboxFilter, first: int, before: int | None) -> Inbox:
    """Return up to ``first`` entries with a uid below ``before``, newest first.

    A filtered page scans at most 5,000 entries; one that hits that bound comes back short, with ``has_next``.
    """
    position = before or TOP
    parameters = await _parameters(database, mailbox, chosen, position)
    scans = _scans(parameters, chosen)
    window = first + 1 if chosen.selects_all else page_window(scans, first)

    scan = Scan()
    state, unread = State(0, 1), 0
    while not scan.exhausted and len(scan.items) <= first and scan.scanned < SCAN_MOST:
        asked = {**parameters, "counting": False, "window": window, "before": position}
        (row,) = await database.fetch(chosen.driver(), asked)
        if scan.scanned == 0:
            # The state is that of before the first window, so it is never newer than the page.
            state, unread = State(row["state"], row["uidNext"]), row["unreadCount"]
        scan.add(row["entries"], row["scanned"], window, scans)
        position = row["lastUid"] if row["lastUid"] is not None else position
    items = tuple(delivery(entry) for entry in scan.items[:first])
    more = len(scan.items) > first
    end = items[-1].uid if more else position
    return Inbox(Page(items, more or not scan.exhausted, end), state, unread)


async def mailbox_exists(database: Database, address: str) -> bool:
    """Tell whether somebody or a role has this address."""
    return bool(await database.fetch(STATE, {"mailbox": address}))


async def inbox_total(database: Database, mailbox: str, chosen: InboxFilter) -> Total:
    """Return how many entries the filter selects: from the counter where there is one, else counted to 10,000."""
    if chosen == InboxFilter(unread=True):
        (row,) = await database.fetch(STATE, {"mailbox": mailbox})
        return Total(row["unreadCount"], capped=False)
    parameters = await _parameters(database, mailbox, chosen, TOP)
    window = count_window(_scans(parameters, chosen))
    (row,) = await database.fetch(chosen.driver(), {**parameters, "counting": True, "window": window, "before": TOP})
    return Total.of(row["fitting"], row["scanned"], window)


async def _parameters(database: Database, mailbox: str, chosen: InboxFilter, before: int) -> dict[str, Any]:
    groups = await filed_names(database, chosen.tags, narrower=chosen.include_narrower)
    driving = 0
    if len(groups) > 1 and chosen.thread is None:
        asked = {"mailbox": mailbox, "folders": chosen.folders, "groups": groups, "before": before}
        driving = rarest(await database.fetch(TAG_COUNTS, asked), "filed")
    return {"mailbox": mailbox, **chosen.parameters(groups, driving)}


def _scans(parameters: dict[str, Any], chosen: InboxFilter) -> int:
    """Return how many index scans the driving query merges."""
    return len(parameters["folders"]) * len(parameters["concepts"]) if chosen.driver() in (TAG, TAG_UNREAD) else 1
