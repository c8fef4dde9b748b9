"""What a run of retention did, counted as it goes."""

from dataclasses import dataclass, field
from datetime import datetime

from graph.rules.retention import Member


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What a run deleted, or would delete. ``messages`` are gone for everybody; ``tombstones`` of them keep a place.

    ``collected`` are tombstones of earlier runs that went. ``oldest`` and ``newest`` are the dates of the messages that
    went from any mailbox. ``has_more`` when the run ended at its number of batches.
    """

    dry_run: bool
    messages: int
    entries: int
    mailboxes: int
    tombstones: int
    collected: int
    oldest: datetime | None
    newest: datetime | None
    has_more: bool


@dataclass(frozen=True, slots=True)
class Expired:
    """What one batch did: entries by mailbox, dates, what is gone for everybody, and what of it left a tombstone."""

    entries: dict[str, int]
    dates: list[datetime]
    gone: dict[str, Member]
    buried: set[str]


@dataclass(slots=True)
class Ledger:
    """What a run has done so far, or would have."""

    mailboxes: set[str] = field(default_factory=set)
    entries: int = 0
    messages: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    buried: set[str] = field(default_factory=set)
    collected: int = 0

    def note(self, done: Expired) -> None:
        """Count a batch."""
        self.mailboxes |= done.entries.keys()
        self.entries += sum(done.entries.values())
        self.messages += len(done.gone)
        self.buried |= done.buried
        for date in done.dates:
            self.oldest = date if self.oldest is None else min(self.oldest, date)
            self.newest = date if self.newest is None else max(self.newest, date)

    def report(self, *, dry_run: bool, has_more: bool) -> RetentionReport:
        """Return the figures."""
        return RetentionReport(
            dry_run,
            self.messages,
            self.entries,
            len(self.mailboxes),
            len(self.buried),
            self.collected,
            self.oldest,
            self.newest,
            has_more,
        )
