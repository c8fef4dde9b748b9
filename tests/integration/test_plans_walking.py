"""What a page of neighbours costs: what the page needs, however many edges its hub has (issue 5, decision 0018)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from bench.scripts import Listener
from graph.bootstrap import Graph
from graph.mailbox import TOP
from graph.neighbors import Chosen, neighbors
from graph.queries import query
from graph.readers import Reader
from graph.rules.walking import Direction, EdgeType
from graph.scanning import LAST_ID, SCAN_WINDOW
from graph.sent import FIRST_MOMENT, LAST_MOMENT
from graph.walking import elements, mine_parameters, step_parameters
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL, SORTS
from tests.support import Agents, message, profiled

SIZES = (60, 900)
WINDOW = 21


@dataclass(frozen=True)
class Hub:
    """Somebody who wrote ``size`` messages to another, all in one thread and with one tag, and got none."""

    writer: str
    holder: str
    thread: str
    tag: str
    size: int


@pytest_asyncio.fixture(scope="module")
async def hubs(graph: Graph, agents: Agents) -> list[Hub]:
    """Make one hub of each size."""
    made = []
    for size in SIZES:
        clock = Ticking(graph.clock.now())
        writer, holder = await agents("writer", "holder")
        tag = f"tag-{writer[1:]}"
        (first,) = await bulk(graph, clock, writer, [message(holder, tags=(tag,))])
        await bulk(graph, clock, writer, [message(holder, in_reply_to=first.id, tags=(tag,))] * (size - 1))
        made.append(Hub(writer, holder, first.thread, tag, size))
    return made


TIMES = {"beforeTime": LAST_MOMENT, "beforeId": LAST_ID, "since": FIRST_MOMENT, "window": WINDOW}
UIDS = {"before": TOP, "window": WINDOW}
CASES: dict[str, tuple[str, Callable[[Hub], dict[str, Any]]]] = {
    "members": (
        "PART_OF_THREAD(thread, messageId)",
        lambda hub: {"thread": hub.thread, "after": "", "window": WINDOW},
    ),
    "written": ("SENT_BY(sender, createdAt, messageId)", lambda hub: {"sender": hub.writer, **TIMES}),
    "entries": ("DELIVERED_TO(mailbox, uid)", lambda hub: {"mailbox": hub.holder, **UIDS}),
    "entries_from": (
        "DELIVERED_TO(mailbox, sender, uid)",
        lambda hub: {"mailbox": hub.holder, "sender": hub.writer, **UIDS},
    ),
    "tagged": (
        "TAGGED_CONCEPT(sender, concept, createdAt, messageId)",
        lambda hub: {"sender": hub.writer, "concept": hub.tag, **TIMES},
    ),
    "addressed": (
        "SENT_TO(sender, address, createdAt, messageId)",
        lambda hub: {"sender": hub.writer, "address": hub.holder, **TIMES},
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_page_of_a_hub_is_read_from_its_index(graph: Graph, hubs: list[Hub], name: str) -> None:
    index, asked = CASES[name]
    costs = [await profiled(graph.database, query(f"walking/{name}"), asked(hub)) for hub in hubs]
    for found in costs:
        assert len(found.rows) == WINDOW, str(found)
        assert index in str(found), str(found)
        assert found.hits <= 200, str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
        assert not [step for step in found.steps if SORTS.search(step.operator)], str(found)
    assert costs[1].hits <= costs[0].hits * 1.1, f"{costs[0]}\n\n{costs[1]}"


async def test_what_came_from_somebody_is_read_from_the_index_of_ones_own_mailbox(
    graph: Graph, hubs: list[Hub]
) -> None:
    costs = []
    for hub in hubs:
        asked = {"mailbox": hub.holder, "earlier": [hub.writer], "sender": hub.writer, **UIDS}
        costs.append(await profiled(graph.database, query("walking/received"), asked))
    for found in costs:
        assert len(found.rows) == WINDOW, str(found)
        assert found.hits <= 400, str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
    assert costs[1].hits <= costs[0].hits * 1.1, f"{costs[0]}\n\n{costs[1]}"


async def test_a_step_reads_so_many_edges_of_each_type_and_no_more(graph: Graph, hubs: list[Hub]) -> None:
    """Its bound is what it costs, for an analyst at a hub as for anybody."""
    costs = []
    for hub in hubs:
        known = await elements(graph.database, [hub.holder])
        reader = Reader(hub.writer, (hub.writer,), everything=True)
        asked = step_parameters(reader, known.values(), EdgeType, EdgeType, 50)
        costs.append(await profiled(graph.database, query("walking/step"), asked))
    for found in costs:
        assert {row["type"]: row["scanned"] for row in found.rows} == {"DELIVERED_TO": 50, "SENT_TO": 50}, str(found)
        assert found.hits <= 50 * 2 * 20 + 100, str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
    assert costs[1].hits <= costs[0].hits * 1.1, f"{costs[0]}\n\n{costs[1]}"


async def test_a_page_of_a_scan_asks_about_little_more_than_it_shows(graph: Graph, hubs: list[Hub]) -> None:
    """What was read as a whole is asked about part by part: a page of a hub is full long before its end."""
    hub = hubs[-1]
    listener = Listener(graph.database)
    chosen = Chosen(types=frozenset({EdgeType.SENT_TO}), directions=frozenset({Direction.IN}))
    page = await neighbors(listener, Reader.alone(hub.holder), hub.holder, chosen, 20, None)
    assert (len(page.items), page.has_next) == (20, True)
    asked = [one.parameters["ids"] for one in listener.script.statements if one.query.name == "messages/cards"]
    assert sum(map(len, asked)) == SCAN_WINDOW < hub.size


async def test_what_an_index_lists_is_no_reason_to_read_on(graph: Graph, hubs: list[Hub]) -> None:
    """One's own edges, which an index lists, are among those that a scan reads; a hub that has no others ends it."""
    costs = []
    for hub in hubs:
        known = await elements(graph.database, [hub.holder])
        asked = step_parameters(Reader.alone(hub.writer), known.values(), (), [EdgeType.SENT_TO], 50)
        costs.append(await profiled(graph.database, query("walking/step"), {**asked, "own": hub.writer}))
    for found in costs:
        assert [(row["scanned"], row["found"]) for row in found.rows] == [(50, [])], str(found)
        assert found.hits <= 50 * 12 + 100, str(found)
    assert costs[1].hits <= costs[0].hits * 1.1, f"{costs[0]}\n\n{costs[1]}"


async def test_ones_own_mail_at_a_hub_is_read_from_ones_own_indexes(graph: Graph, hubs: list[Hub]) -> None:
    costs = []
    for hub in hubs:
        asked = mine_parameters(Reader.alone(hub.writer), [hub.holder, hub.writer], [hub.tag], 50)
        costs.append(await profiled(graph.database, query("walking/mine"), asked))
    for found in costs:
        assert len(found.rows) == 4 * 50, str(found)
        assert found.hits <= 4 * 50 * 12 + 200, str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
    assert costs[1].hits <= costs[0].hits * 1.1, f"{costs[0]}\n\n{costs[1]}"


async def test_where_nodes_are_is_looked_up_by_their_keys(graph: Graph, hubs: list[Hub]) -> None:
    hub = hubs[0]
    asked = {"ids": [hub.thread], "handles": [hub.holder], "roles": [], "concepts": [hub.tag], "tickets": []}
    found = await profiled(graph.database, query("walking/start"), asked)
    assert len(found.rows) == 3
    assert found.hits <= 60, str(found)
    assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
