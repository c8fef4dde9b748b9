"""Threads of any shape, drawn for the tests of their rules: shuffled, with gaps and with circles."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from graph.rules.threads import Member

START = datetime(2026, 1, 1, tzinfo=UTC)
PEOPLE = ("@ada", "@bea", "@cy")


def member(
    id_: str,
    parent: str | None = None,
    *,
    at: int = 0,
    visible: bool = True,
    missing: str | None = None,
    sender: str = "@ada",
    asks: bool = False,
) -> Member:
    """Return a member that was sent ``at`` minutes after the start."""
    return Member(id_, START + timedelta(minutes=at), parent, visible, missing, sender, asks and visible)


@st.composite
def forests(draw: st.DrawFn, *, most: int = 25, circles: bool = False, all_visible: bool = False) -> list[Member]:
    """Draw a thread: any forest, with times that need not follow it, shuffled, parts hidden, parents missing.

    With ``circles`` any message may answer any other. With ``all_visible`` nothing is hidden and no two times are the
    same.
    """
    size = draw(st.integers(1, most))
    apart = draw(st.permutations(range(size)))
    members = []
    for number in range(size):
        others = st.integers(0, size - 1) if circles else st.integers(0, max(number - 1, 0))
        parent = draw(st.one_of(st.none(), others)) if number or circles else None
        missing = draw(st.sampled_from([None, None, "mail-a", "mail-b"])) if parent is None else None
        members.append(
            member(
                f"m{number:02}",
                None if parent is None else f"m{parent:02}",
                at=apart[number] if all_visible else draw(st.integers(0, 5)),
                visible=all_visible or draw(st.booleans()),
                missing=missing,
                sender=draw(st.sampled_from(PEOPLE)),
                asks=draw(st.booleans()),
            )
        )
    return draw(st.permutations(members))
