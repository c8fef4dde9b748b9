"""What the database does for a search: by the full-text index, and no more in a larger store (DESIGN §2, LESSONS 7)."""

from datetime import timedelta

import pytest

from graph.bootstrap import Graph
from graph.queries import query
from graph.readers import Reader
from graph.rules.moments import LAST_PLACE, Window
from graph.rules.searching import readable_by, saying, within
from graph.scanning import LAST_ID
from graph.search import FOUND, SearchFilter, search
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL
from tests.support import Agents, Profile, message, profiled

FOUND_MOST = 150


async def profile(graph: Graph, reader: str, word: str, chosen: SearchFilter, window: Window | None = None) -> Profile:
    when = "" if window is None else within(window.words)
    parameters = {
        "words": f"{readable_by(reader, [reader])} {when} {saying([word])}",
        "limit": FOUND_MOST,
        "most": FOUND_MOST,
        "counting": False,
        "before": LAST_ID,
        "mailbox": reader,
        **chosen.parameters(),
    }
    return await profiled(graph.database, FOUND, parameters)


@pytest.mark.parametrize(
    ("chosen", "each"),
    [(SearchFilter(), 6), (SearchFilter(unread=True), 20), (SearchFilter(tags=("log",), thread="thr_x"), 40)],
    ids=["all", "unread", "tags and thread"],
)
async def test_a_search_costs_what_its_reader_may_see(
    graph: Graph, agents: Agents, chosen: SearchFilter, each: int
) -> None:
    """The same word in ever more mail of others costs nothing."""
    ada, bea, eve = await agents("ada", "bea", "eve")
    clock = Ticking(graph.clock.now())
    await bulk(graph, clock, ada, [message(bea, subject="Samarium", tags=("log",))] * 40)
    costs = []
    for others in (100, 900):
        await bulk(graph, clock, ada, [message(eve, subject="Samarium", tags=("log",))] * others)
        costs.append(await profile(graph, bea, "samarium", chosen))
    small, large = costs
    for found in costs:
        assert found.rows[0]["found"] == 40, str(found)
        assert found.hits <= 40 * each + 20, str(found)
        assert "db.index.fulltext.queryNodes" in "\n".join(step.details for step in found.steps), str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
    assert large.hits <= small.hits + 5, f"{small}\n\n{large}"


async def test_a_window_of_a_dense_mailbox_costs_what_fits(graph: Graph, agents: Agents) -> None:
    """Who has a thousand hits reads no more of them than one query takes, whatever the window."""
    ada, bea = await agents("ada", "bea")
    clock = Ticking(graph.clock.now())
    await bulk(graph, clock, ada, [message(bea, subject="Europium")] * 1_000)
    dense = await profile(graph, bea, "europium", SearchFilter(), Window(LAST_PLACE, LAST_PLACE))
    assert dense.rows[0]["found"] == FOUND_MOST + 1
    assert dense.hits <= FOUND_MOST * 6 + 20, str(dense)
    page = await search(graph.database, Reader.alone(bea), ["europium"], SearchFilter(), 20, None)
    assert len(page.items) == 20
    dates = [card.created_at.timestamp() for card in page.items]
    assert dates == sorted(dates, reverse=True)
    assert clock.now() - page.items[0].created_at < timedelta(seconds=1)


async def test_seeing_where_to_begin_reads_its_sample(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    last = (await bulk(graph, Ticking(graph.clock.now()), ada, [message(bea)] * 50))[-1].id
    newest = await profiled(graph.database, query("search/newest"), {"before": last, "sample": 20})
    (row,) = newest.rows
    assert row["first"] <= row["oldest"] < row["newest"] < last
    assert newest.hits <= 20 + 10, str(newest)
    assert not [step for step in newest.steps if READS_ALL.search(step.operator)], str(newest)
