"""What a retrospective tells, in order (issue 5)."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph.rules.figures import Fact
from graph.rules.retrospectives import Item, ItemKind, items_after, told

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def fact(number: int, *tags: str, kind: str = "MESSAGE", tickets: str = "", memories: str = "") -> Fact:
    return Fact(
        id=f"msg_{number:03}",
        at=BEGIN + timedelta(minutes=number),
        sender="@ada",
        thread="thr_1",
        kind=kind,
        asks=False,
        tags=tags,
        tickets=tuple(tickets.split()),
        memories=tuple(memories.split()),
    )


def test_tickets_and_memories_come_where_they_are_first_named() -> None:
    facts = [
        fact(3, "plan", tickets="neo#1 neo#2"),
        fact(1, "decision", tickets="neo#1", memories="mem_b"),
        fact(2, "decision", kind="HANDOVER"),
    ]
    kept = [(BEGIN, "mem_a"), (BEGIN + timedelta(minutes=5), "mem_b")]
    assert [(item.kind.value, item.target, item.message) for item in told(facts, kept, {"decision"})] == [
        ("MEMORY", "mem_a", None),
        ("DECISION", "msg_001", "msg_001"),
        ("TICKET", "neo#1", "msg_001"),
        ("MEMORY", "mem_b", "msg_001"),
        ("HANDOVER", "msg_002", "msg_002"),
        ("MESSAGE", "msg_003", "msg_003"),
        ("TICKET", "neo#2", "msg_003"),
    ]


numbers = st.lists(st.integers(0, 30), unique=True, max_size=12)
names = st.lists(st.sampled_from(("neo#1", "neo#2", "neo#3")), max_size=3, unique=True).map(" ".join)


@given(numbers, st.data())
def test_pages_are_the_whole_in_order(many: list[int], data: st.DataObject) -> None:
    facts = [fact(number, tickets=data.draw(names)) for number in many]
    items = told(facts, [], ())
    assert items == sorted(items, key=lambda item: item.key)
    assert [item.target for item in items if item.kind is ItemKind.MESSAGE] == sorted(one.id for one in facts)
    tickets = [item.target for item in items if item.kind is ItemKind.TICKET]
    assert sorted(tickets) == sorted({key for one in facts for key in one.tickets})
    paged: list[Item] = []
    while left := items_after(items, paged[-1].key if paged else None):
        paged += left[:2]
    assert paged == items
