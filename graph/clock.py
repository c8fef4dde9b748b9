"""Where times come from: a seam, so that tests and rules can say what time it is."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Answers what time it is."""

    def now(self) -> datetime:
        """Return the present moment, aware and in UTC."""
        ...


class SystemClock:
    """The machine's clock, cut to milliseconds: what ids hold, and what survives every hop unchanged."""

    def now(self) -> datetime:
        """Return the present moment in UTC with whole milliseconds."""
        present = datetime.now(UTC)
        return present.replace(microsecond=present.microsecond // 1000 * 1000)
