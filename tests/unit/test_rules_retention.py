"""What a retention policy may say, and what leaves a tombstone (DESIGN §3.5)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, lowest_id, new_id
from graph.rules.limits import MessageLimits
from graph.rules.retention import Member, check_policy, days_of, unhung

LIMITS = MessageLimits()


@pytest.mark.parametrize(("written", "days"), [("90d", 90), (" 12W ", 84), ("2y", 730)])
def test_an_age_is_in_days(written: str, days: int) -> None:
    assert days_of(written) == days


@pytest.mark.parametrize("written", ["", "soon", "90", "90m", "-1d", "1.5d", "d", "9999999d"])
def test_what_is_no_age_is_refused_by_its_value(written: str) -> None:
    with pytest.raises(Refused, match="older-than") as refused:
        days_of(written)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, "olderThanDays")


@pytest.mark.parametrize(
    ("days", "keep", "field"),
    [(None, None, "olderThanDays"), (0, None, "olderThanDays"), (36_501, 1, "olderThanDays"), (1, 0, "keepPerMailbox")],
)
def test_a_policy_without_a_reason_or_with_a_bad_number_is_refused(
    days: int | None, keep: int | None, field: str
) -> None:
    with pytest.raises(Refused) as refused:
        check_policy(days, keep, (), LIMITS)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, field)


def test_tags_are_canonical_and_the_cutoff_is_by_the_clock() -> None:
    policy = check_policy(30, None, ("#Decision", "decision"), LIMITS)
    assert policy.except_tags == ("decision",)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert policy.cutoff(now) == datetime(2026, 4, 1, tzinfo=UTC)
    assert check_policy(None, 5, (), LIMITS).cutoff(now) is None


@given(st.integers(1, 2**42))
def test_ids_of_earlier_times_sort_below_the_lowest_id_and_later_ones_above(milliseconds: int) -> None:
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    lowest = lowest_id(Prefix.MESSAGE, at)
    earlier, later = at - timedelta(milliseconds=2), at + timedelta(milliseconds=2)
    assert new_id(Prefix.MESSAGE, earlier) < lowest < new_id(Prefix.MESSAGE, later)


def member(id_: str, parent: str | None = None, *replies: str, thread: str = "t", **said: object) -> Member:
    forks = said.get("forks", ())
    origin = said.get("origin")
    assert isinstance(forks, tuple)
    assert origin is None or isinstance(origin, str)
    return Member(id_, thread, parent, origin, replies, forks)


def test_a_message_goes_with_all_that_hangs_on_it_whatever_the_order() -> None:
    going = {"a": member("a", None, "b"), "b": member("b", "a", "c"), "c": member("c", "b")}
    assert unhung(going) == {"a", "b", "c"}
    assert unhung(dict(reversed(going.items()))) == {"a", "b", "c"}


def test_what_an_answer_stays_below_stays() -> None:
    assert unhung({"a": member("a", None, "b", "x"), "b": member("b", "a", "c"), "c": member("c", "b")}) == {"b", "c"}
    assert unhung({"a": member("a", None, "b"), "b": member("b", "a", "stays")}) == set()


def test_a_fork_holds_its_origin_until_its_last_member_goes() -> None:
    origin = member("a", forks=(("u", 2),))
    first, second = member("b", thread="u", origin="a"), member("c", thread="u", origin="a")
    assert unhung({"a": origin, "b": first}) == {"b"}
    assert unhung({"a": origin, "b": first, "c": second}) == {"a", "b", "c"}


def test_a_long_chain_is_no_harder() -> None:
    going = {
        str(n): member(str(n), str(n - 1) if n else None, *([str(n + 1)] if n < 9_999 else [])) for n in range(10_000)
    }
    assert len(unhung(going)) == 10_000


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=30))
def test_what_stays_hangs_together(said: list[tuple[int, bool]]) -> None:
    """A message that is to go stays exactly when something that stays is somewhere below it."""
    parents = {number: above % number if number else None for number, (above, _) in enumerate(said)}
    goes = {number for number, (_, go) in enumerate(said) if go}
    below = {number: [c for c, p in parents.items() if p == number] for number in parents}
    going = {str(n): member(str(n), _name(parents[n]), *map(str, below[n])) for n in goes}

    def stays(number: int) -> bool:
        return number not in goes or any(stays(child) for child in below[number])

    assert unhung(going) == {str(number) for number in goes if not stays(number)}


def _name(number: int | None) -> str | None:
    return None if number is None else str(number)
