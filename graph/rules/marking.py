"""What a mark makes of a mailbox entry, and which entries a mark up to a state is for (DESIGN §3.4)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

INBOX, ARCHIVE = "INBOX", "ARCHIVE"


class Mark(Enum):
    """What an owner can do with an entry. Reading and archiving are independent, and each can be taken back."""

    READ = auto()
    UNREAD = auto()
    ARCHIVE = auto()
    UNARCHIVE = auto()


@dataclass(frozen=True, slots=True)
class Entry:
    """As much of a mailbox entry as marking looks at. ``seen``: its owner was shown it."""

    message: str
    uid: int
    modseq: int
    folder: str
    unread: bool
    seen: bool

    @property
    def counted(self) -> bool:
        """Whether the mailbox's unread count counts it: unread, and not archived."""
        return self.unread and self.folder == INBOX


@dataclass(frozen=True, slots=True)
class Change:
    """An entry before and after."""

    before: Entry
    after: Entry

    @property
    def unread_by(self) -> int:
        """What it adds to the mailbox's unread count."""
        return int(self.after.counted) - int(self.before.counted)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of some entries a mark up to a state changes, and how many it leaves since they were never shown."""

    changes: tuple[Change, ...]
    withheld: int


def marked(entry: Entry, mark: Mark) -> Entry:
    """Return the entry as it is after the mark; the same one where it is so already."""
    match mark:
        case Mark.READ:
            return replace(entry, unread=False)
        case Mark.UNREAD:
            return replace(entry, unread=True)
        case Mark.ARCHIVE:
            return replace(entry, folder=ARCHIVE)
        case Mark.UNARCHIVE:
            return replace(entry, folder=INBOX)


def changed(entries: Iterable[Entry], mark: Mark) -> tuple[Change, ...]:
    """Return what the mark changes, in the order of the entries; nothing for those that are so already."""
    both = (Change(entry, marked(entry, mark)) for entry in entries)
    return tuple(change for change in both if change.after != change.before)


def selected(entries: Iterable[Entry], mark: Mark, modseq: int, *, include_unseen: bool) -> Selection:
    """Choose the entries that have not changed after ``modseq``: of them only those shown, unless all are meant."""
    changes = [change for change in changed(entries, mark) if change.before.modseq <= modseq]
    known = tuple(change for change in changes if include_unseen or change.before.seen)
    return Selection(known, len(changes) - len(known))
