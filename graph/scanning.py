"""How lists with filters read: window by window through the index that serves them, and not without end (DESIGN §5)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.database import Row

#: Entries that a filtered page scans at most, and how many of them in one query.
SCAN_MOST, SCAN_WINDOW = 5_000, 500
#: A total that no counter gives is counted no further than this.
COUNT_MOST = 10_000
#: Larger than any id; a first page says it too, since a query names every property of its index (DESIGN §2).
LAST_ID = "\U0010ffff"
#: A total over many names, aliases and narrower concepts, reads no more than this of all of them together.
_COUNT_READS, _COUNT_LEAST = 10 * COUNT_MOST, 1_000


@dataclass(frozen=True, slots=True)
class Total:
    """A count; ``capped`` when it stopped before the end and the true one is at least this."""

    count: int
    capped: bool

    @classmethod
    def of(cls, fitting: int, scanned: int, window: int) -> "Total":
        """Return the total of a count that scanned ``window`` entries at most, the last of which only tells of more."""
        return cls(min(fitting, window - 1), capped=scanned >= window)


@dataclass(slots=True)
class Scan:
    """A filtered page being gathered window by window. ``scanned`` is what was read of the indexes, at most."""

    items: list[Row] = field(default_factory=list)
    scanned: int = 0
    exhausted: bool = False

    def add(self, items: Sequence[Row], scanned: int, window: int, scans: int) -> None:
        """Add what one query found; it merged ``scans`` scans of up to ``window`` entries each."""
        self.items += items
        self.exhausted = scanned < window
        self.scanned += scanned if scans == 1 else scans * window


def page_window(scans: int, first: int) -> int:
    """Return how many entries each of the merged scans of one query reads, so that all read no more than one would."""
    return max(first + 1, SCAN_WINDOW // scans) if scans > 1 else SCAN_WINDOW


def count_window(scans: int) -> int:
    """Return how many entries each scan of a count reads: 10,000 and one, fewer where a great many are merged."""
    return min(COUNT_MOST + 1, max(_COUNT_LEAST, _COUNT_READS // scans) + 1)


def rarest(rows: Sequence[Row], counted: str) -> int:
    """Return the position of the row that counted least, of equals the first."""
    position: int = min(rows, key=lambda row: (row[counted], row["position"]))["position"]
    return position
