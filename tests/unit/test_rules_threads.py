"""Rebuilding threads: causal, complete, the same from everywhere (DESIGN §3.8, §3.10)."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph.rules.threads import Member, Place, after, rebuild

START = datetime(2026, 1, 1, tzinfo=UTC)


def _member(
    id_: str, parent: str | None = None, *, at: int = 0, visible: bool = True, missing: str | None = None
) -> Member:
    return Member(id_, START + timedelta(minutes=at), parent, visible, missing)


@st.composite
def forests(draw: st.DrawFn) -> list[Member]:
    """Draw a thread: any forest, with times that need not follow it, shuffled, parts hidden, parents missing."""
    size = draw(st.integers(1, 25))
    members = []
    for number in range(size):
        parent = draw(st.one_of(st.none(), st.integers(0, number - 1))) if number else None
        missing = draw(st.sampled_from([None, None, "mail-a", "mail-b"])) if parent is None else None
        name = None if parent is None else f"m{parent:02}"
        members.append(
            _member(f"m{number:02}", name, at=draw(st.integers(0, 5)), visible=draw(st.booleans()), missing=missing)
        )
    return draw(st.permutations(members))


def _visible(places: list[Place]) -> set[str]:
    return {place.message for place in places if place.message is not None}


@given(forests())
def test_every_visible_member_is_there_once_and_nothing_hidden_is_named(members: list[Member]) -> None:
    places = rebuild(members)
    shown = [place.message for place in places if place.message is not None]
    assert len(shown) == len(set(shown))
    assert set(shown) == {member.id for member in members if member.visible}
    hidden = {member.id for member in members if not member.visible}
    assert not hidden & {text for place in places for text in (place.message, place.parent, place.anchor)}


@given(forests())
def test_parents_come_first_and_depths_are_those_of_the_tree(members: list[Member]) -> None:
    known = {member.id: member for member in members}
    places = rebuild(members)
    row_of = {place.message: row for row, place in enumerate(places) if place.message is not None}

    def depth(member: Member) -> int:
        steps = 0
        while member.parent is not None:
            member, steps = known[member.parent], steps + 1
        return steps + (member.missing is not None)

    for id_, row in row_of.items():
        member = known[id_]
        assert places[row].depth == depth(member)
        if member.parent in row_of:
            assert places[row].parent == member.parent
            assert row_of[member.parent] < row
        else:
            assert places[row].parent is None


@given(forests())
def test_a_gap_has_something_visible_below_it(members: list[Member]) -> None:
    places = rebuild(members)
    for row, place in enumerate(places):
        if place.hidden:
            below = places[row + 1]
            assert below.depth == place.depth + 1
            assert place.anchor in _visible(places[row + 1 :])


@given(forests())
def test_the_order_of_arrival_does_not_matter(members: list[Member]) -> None:
    assert rebuild(members) == rebuild(sorted(members, key=lambda member: member.id))


@given(forests(), st.integers(1, 4))
def test_pages_add_up_to_the_thread(members: list[Member], size: int) -> None:
    places = rebuild(members)
    paged: list[Place] = []
    start: int | None = 0
    while start is not None and start < len(places):
        page = places[start : start + size]
        paged += page
        start = after(places, page[-1].anchor, page[-1].above)
    assert paged == places


def test_siblings_are_by_time_and_then_id() -> None:
    rows = rebuild([_member("r"), _member("b", "r", at=2), _member("c", "r", at=1), _member("a", "r", at=2)])
    assert [row.message for row in rows] == ["r", "c", "a", "b"]


def test_who_sees_nothing_gets_nothing() -> None:
    assert rebuild([_member("r", visible=False), _member("a", "r", visible=False)]) == []
    assert rebuild([]) == []


def test_a_chain_of_ten_thousand_needs_no_recursion() -> None:
    members = [_member(f"{n:05}", f"{n - 1:05}" if n else None, at=n) for n in range(10_000)]
    assert [row.depth for row in rebuild(members)] == list(range(10_000))
