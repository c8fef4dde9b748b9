"""Periods and the days, weeks and months they are cut into (decision 0019)."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.records import moment
from graph.rules.periods import BUCKETS_MOST, FIRST_MOMENT, USUAL, Bucket, Period, bucket_start, buckets, period

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
moments = st.integers(0, 4_102_444_800_000).map(moment)


@given(moments, st.timedeltas(MILLISECOND, timedelta(days=390)), st.sampled_from(Bucket))
def test_the_parts_tile_the_period(since: datetime, length: timedelta, bucket: Bucket) -> None:
    whole = Period(since, since + length)
    parts = buckets(whole, bucket)
    assert parts[0].since == whole.since
    assert parts[-1].until == whole.until
    assert all(one.until == other.since for one, other in pairwise(parts))
    assert all(bucket_start(part.since, bucket) == bucket_start(part.until - MILLISECOND, bucket) for part in parts)
    assert all(part.since == bucket_start(part.since, bucket) for part in parts[1:])


def test_a_week_begins_on_monday_and_a_month_on_its_first() -> None:
    thursday = datetime(2026, 1, 1, 23, 59, tzinfo=UTC)
    assert bucket_start(thursday, Bucket.WEEK) == datetime(2025, 12, 29, tzinfo=UTC)
    assert bucket_start(thursday, Bucket.MONTH) == datetime(2026, 1, 1, tzinfo=UTC)
    months = buckets(Period(datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)), Bucket.MONTH)
    assert [part.since.month for part in months] == [12, 1, 2]


def test_what_is_left_out_is_the_last_30_days_or_everything() -> None:
    assert period(None, None, NOW) == Period(NOW + MILLISECOND - USUAL, NOW + MILLISECOND)
    assert NOW in period(None, None, NOW)
    assert period(None, NOW, NOW, whole=True) == Period(FIRST_MOMENT, NOW)
    assert period(None, datetime(1, 1, 5, tzinfo=UTC), NOW).since == FIRST_MOMENT
    assert NOW not in Period(NOW - MILLISECOND, NOW)


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        period(NOW, NOW, NOW)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, "until")


def test_more_parts_than_a_year_of_days_are_refused() -> None:
    whole = Period(NOW, NOW + timedelta(days=BUCKETS_MOST + 1))
    with pytest.raises(Refused) as refused:
        buckets(whole, Bucket.DAY)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.LIMIT_EXCEEDED, "bucket")
    assert len(buckets(whole, Bucket.WEEK)) < 60


def test_the_calendar_has_an_end() -> None:
    last = datetime(9999, 12, 31, tzinfo=UTC)
    assert buckets(Period(last - timedelta(days=3), last), Bucket.MONTH)[-1].until == last
    assert buckets(Period(FIRST_MOMENT, FIRST_MOMENT + timedelta(days=9)), Bucket.WEEK)[0].since == FIRST_MOMENT
