"""Periods of time, and the days, ISO weeks and months of UTC that they are cut into."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from graph.errors import RefusalCode, Refused

#: How long a period is when its beginning is left out.
USUAL = timedelta(days=30)
#: The pieces that one may be cut into: a year of days.
BUCKETS_MOST = 400
FIRST_MOMENT, LAST_MOMENT = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Bucket(StrEnum):
    """How long the pieces of a series are."""

    DAY = "DAY"
    WEEK = "WEEK"
    MONTH = "MONTH"


@dataclass(frozen=True, slots=True)
class Period:
    """From ``since`` up to and without ``until``, so that periods that follow each other share no message."""

    since: datetime
    until: datetime

    def __contains__(self, moment: object) -> bool:
        return isinstance(moment, datetime) and self.since <= moment < self.until


def period(since: datetime | None, until: datetime | None, now: datetime, *, whole: bool = False) -> Period:
    """Return the period from ``since`` to ``until``, both in UTC.

    Left out, ``until`` is past the present moment, and ``since`` 30 days before, or with ``whole`` before everything.
    Raises Refused with INVALID_INPUT for a period that holds no moment.
    """
    end = now + _MILLISECOND if until is None else until
    earliest = FIRST_MOMENT if whole or end - FIRST_MOMENT < USUAL else end - USUAL
    start = earliest if since is None else since
    if start >= end:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"until {end.isoformat()} is not after since {start.isoformat()}; a period ends after it begins.",
            field="until",
        )
    return Period(start, end)


def bucket_start(moment: datetime, bucket: Bucket) -> datetime:
    """Return when the day, the ISO week (from Monday) or the month of a moment of UTC begins."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match bucket:
        case Bucket.DAY:
            return day
        case Bucket.WEEK:
            # The year 1 begins on a Monday, so that no week begins before the calendar does.
            return day - timedelta(days=day.weekday())
        case Bucket.MONTH:
            return day.replace(day=1)


def buckets(whole: Period, bucket: Bucket) -> list[Period]:
    """Return the days, weeks or months of a period in order; the first and the last are cut to it.

    Raises Refused with LIMIT_EXCEEDED for more than 400.
    """
    found: list[Period] = []
    for start, end in _calendar(whole, bucket):
        if len(found) == BUCKETS_MOST:
            raise Refused(
                RefusalCode.LIMIT_EXCEEDED,
                f"bucket {bucket} cuts the period into more than {BUCKETS_MOST}; take longer ones or a shorter one.",
                field="bucket",
            )
        found.append(Period(max(start, whole.since), min(end, whole.until)))
    return found


def _calendar(whole: Period, bucket: Bucket) -> Iterator[tuple[datetime, datetime]]:
    start = bucket_start(whole.since, bucket)
    while start < whole.until:
        # So many days after the beginning of a bucket lie in the next one, whose beginning is asked for then.
        step = {Bucket.DAY: 1, Bucket.WEEK: 7, Bucket.MONTH: 31}[bucket]
        try:
            end = bucket_start(start + timedelta(days=step), bucket)
        except OverflowError:
            end = whole.until
        yield start, end
        start = end
