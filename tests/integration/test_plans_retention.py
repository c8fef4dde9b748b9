"""What the database does to find what retention deletes: a window costs the same wherever it is (DESIGN §2)."""

from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.mailbox import TOP
from graph.queries import query
from graph.scanning import LAST_ID
from graph.sent import FIRST_MOMENT, LAST_MOMENT
from tests.crowd import Reader, reader
from tests.integration.test_plans import READS_ALL, SORTS
from tests.support import Agents, profiled

WINDOW = 20


@pytest_asyncio.fixture(scope="module")
async def readers(graph: Graph, agents: Agents) -> list[Reader]:
    """Make a small mailbox and a larger one."""
    return [await reader(graph, agents, size) for size in (200, 1_200)]


@pytest.mark.parametrize(
    ("name", "index", "asked", "rows", "hits"),
    [
        (
            "beyond",
            "DELIVERED_TO(mailbox, uid)",
            {"before": TOP, "exceptTags": ["none"], "window": WINDOW},
            WINDOW,
            900,
        ),
        ("cut", "DELIVERED_TO(mailbox, uid)", {"keep": WINDOW}, 1, 60),
    ],
)
async def test_a_mailbox_is_read_from_its_newest_entry_on(
    graph: Graph, readers: list[Reader], name: str, index: str, asked: dict[str, Any], rows: int, hits: int
) -> None:
    small, large = [
        await profiled(graph.database, query(f"retention/{name}"), {"mailbox": reader.handle, **asked})
        for reader in readers
    ]
    for profile in (small, large):
        assert len(profile.rows) == rows, str(profile)
        assert profile.hits <= hits, str(profile)
        assert index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
    assert large.hits <= small.hits * 1.1, f"{small}\n\n{large}"


async def test_old_messages_are_found_by_their_ids_which_sort_by_date(graph: Graph, readers: list[Reader]) -> None:
    for before in (LAST_ID, readers[-1].sample[0]):
        asked = {"before": before, "cutoff": LAST_MOMENT, "exceptTags": ["none"], "window": WINDOW}
        profile = await profiled(graph.database, query("retention/old"), asked)
        assert len(profile.rows) == WINDOW, str(profile)
        # Whoever has one of these messages may keep it, so its entries are looked at, and nothing else is.
        assert profile.hits <= 1_500 + 4 * sum(row["entries"] for row in profile.rows), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
        for step, feeding in zip(profile.steps, profile.steps[1:], strict=False):
            if SORTS.search(step.operator):
                assert feeding.rows <= WINDOW, str(profile)


async def test_tombstones_are_found_without_reading_messages(graph: Graph, readers: list[Reader]) -> None:
    profile = await profiled(graph.database, query("retention/bare"), {"since": FIRST_MOMENT})
    assert "Message(expungedAt)" in "\n".join(step.details for step in profile.steps), str(profile)
    assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
    assert profile.hits <= 500, str(profile)


async def test_mailboxes_that_cannot_be_full_are_not_looked_into(graph: Graph, readers: list[Reader]) -> None:
    profile = await profiled(graph.database, query("retention/full"), {"keep": 1_000})
    assert readers[1].handle in [row["address"] for row in profile.rows]
    assert readers[0].handle not in [row["address"] for row in profile.rows]
    assert not [step for step in profile.steps if "DELIVERED_TO" in step.details], str(profile)
