"""What the database does for marking, changes and receipts: the same however large the mailbox (DESIGN §2)."""

from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.mailbox import TOP
from graph.queries import Query, query
from graph.records import moment
from tests.crowd import Reader, reader
from tests.integration.test_plans import READS_ALL, SORTS
from tests.support import Agents, profiled

SIZES = (200, 3000)
LIMIT = 21
NOW = moment(1_800_000_000_000)


def window(reader: Reader, **more: Any) -> dict[str, Any]:
    """Return what the queries that mark up to a state are asked."""
    return {"mailbox": reader.handle, "after": 0, "below": TOP, "limit": LIMIT, **more}


def sent_by(reader: Reader) -> dict[str, Any]:
    """Return who asks for receipts: the sender of the sample."""
    return {"sender": reader.stranger, "everything": False}


#: Each query with what it is asked, the index that serves it, the rows it answers and the hits it may cost.
CASES: dict[str, tuple[Query, Callable[[Reader], dict[str, Any]], str, int, int]] = {
    "unread, up to a state": (
        query("marking/unread_window"), window, "DELIVERED_TO(mailbox, folder, unread, uid)", LIMIT, 300,
    ),
    "of a folder, up to a state": (
        query("marking/folder_window"),
        lambda reader: window(reader, folder="INBOX"),
        "DELIVERED_TO(mailbox, folder, uid)",
        LIMIT,
        300,
    ),
    "by ids": (
        query("marking/entries"),
        lambda reader: {"mailbox": reader.handle, "ids": reader.sample},
        "DELIVERED_TO(mailbox, messageId)",
        20,
        400,
    ),
    "unseen": (
        query("marking/unseen"),
        lambda reader: {"mailbox": reader.handle, "ids": reader.sample},
        "DELIVERED_TO(mailbox, messageId)",
        20,
        300,
    ),
    "the next changes": (
        query("changes/after"),
        lambda reader: {"mailbox": reader.handle, "after": 60, "limit": LIMIT},
        "DELIVERED_TO(mailbox, modseq)",
        LIMIT,
        500,
    ),
    "receipts": (
        query("receipts/page"),
        lambda reader: {"ids": reader.sample, **sent_by(reader), "after": "", "limit": LIMIT},
        "Message(id)",
        40,
        1000,
    ),
    "how many receipts": (
        query("receipts/counts"),
        lambda reader: {"ids": reader.sample, **sent_by(reader)},
        "Message(id)",
        20,
        600,
    ),
}  # fmt: skip


@pytest_asyncio.fixture(scope="module")
async def readers(graph: Graph, agents: Agents) -> list[Reader]:
    """Make one reader of each size, all of them before any is asked."""
    return [await reader(graph, agents, size) for size in SIZES]


@pytest.mark.parametrize("case", CASES)
async def test_a_page_costs_the_same_however_large_the_mailbox(graph: Graph, readers: list[Reader], case: str) -> None:
    asked, parameters, index, rows, hits = CASES[case]
    small, large = [await profiled(graph.database, asked, parameters(reader)) for reader in readers]
    for profile in (small, large):
        assert len(profile.rows) == rows, str(profile)
        assert profile.hits <= hits, str(profile)
        assert index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
        for step, feeding in zip(profile.steps, profile.steps[1:], strict=False):
            # An operator stands before the one that feeds it.
            assert not SORTS.search(step.operator) or feeding.rows <= 40, str(profile)
    assert large.hits <= small.hits * 1.1, f"{small}\n\n{large}"


async def test_marking_retracting_and_seeing_cost_the_same_however_large_the_mailbox(
    graph: Graph, readers: list[Reader]
) -> None:
    """Each writing query finds its entries and their tags by index alone."""
    costs: dict[str, list[int]] = {}
    for owner in readers:
        marks = [{"message": id_, "folder": "ARCHIVE", "unread": None} for id_ in owner.sample]
        writes: dict[str, tuple[Query, dict[str, Any]]] = {
            "mark": (
                query("marking/write"),
                {"mailbox": owner.handle, "entries": marks, "unreadBy": -len(marks), "readAt": NOW, "at": NOW},
            ),
            "see": (
                query("marking/seen"),
                {"mailbox": owner.handle, "shown": [{"message": id_, "at": NOW} for id_ in owner.sample]},
            ),
            "lock": (query("retracting/lock"), {"id": owner.sample[0]}),
            "blank": (query("retracting/blank"), {"id": owner.sample[0], "at": NOW}),
            "touch": (query("retracting/touch"), {"id": owner.sample[0]}),
        }
        for name, (asked, parameters) in writes.items():
            profile = await profiled(graph.database, asked, parameters, writing=True)
            assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
            assert profile.hits <= {"mark": 2500, "see": 400}.get(name, 100), str(profile)
            costs.setdefault(name, []).append(profile.hits)
    assert all(large <= small * 1.1 + 30 for small, large in costs.values()), costs
