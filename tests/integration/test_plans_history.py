"""What the database does for looking back: the same for one page, however much was sent (DESIGN §2, issue 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.ids import Prefix, lowest_id
from graph.queries import query
from graph.readers import Reader
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL, SORTS
from tests.support import Agents, Profile, message, profiled

SIZES = (200, 2000)
WINDOW = 21


@dataclass(frozen=True)
class Pair:
    """``author`` wrote ``size`` messages to ``owner`` in one thread, each an answer to the first, from ``since`` on.

    ``ids`` are 20 from the middle of it. All but the first refer to ``ticket``.
    """

    author: str
    owner: str
    thread: str
    ids: tuple[str, ...]
    since: datetime
    ticket: str


async def pair(graph: Graph, agents: Agents, size: int) -> Pair:
    author, owner = await agents("author", "owner")
    since = graph.clock.now() - timedelta(hours=1)
    clock = Ticking(graph.clock.now())
    (opening,) = await bulk(graph, clock, author, [message(owner, expects_reply=True)])
    ticket = f"{author[1:]}#1"
    told = message(owner, in_reply_to=opening.id, tags=("daily",), tickets=(ticket,), origin_session="watch")
    await bulk(graph, clock, author, [told])
    written = await bulk(graph, clock, author, [told] * (size - 2))
    ids = tuple(one.id for one in written[size // 2 : size // 2 + 20])
    return Pair(author, owner, opening.thread, ids, since, ticket)


@pytest_asyncio.fixture(scope="module")
async def pairs(graph: Graph, agents: Agents) -> list[Pair]:
    """Make a pair of each size, all of them before any is asked."""
    return [await pair(graph, agents, size) for size in SIZES]


def period(pair: Pair) -> dict[str, Any]:
    until = pair.since + timedelta(hours=2)
    return {
        "since": pair.since,
        "until": until,
        "afterTime": pair.since,
        "afterId": "",
        "low": lowest_id(Prefix.MESSAGE, pair.since),
        "high": lowest_id(Prefix.MESSAGE, until),
        "window": WINDOW,
        "limit": 100,
    }


def reading(pair: Pair) -> dict[str, Any]:
    return Reader.alone(pair.owner).parameters


@dataclass(frozen=True)
class Case:
    """A query, the index that serves it, what it is asked, what it may cost and how many messages it finds."""

    query: str
    index: str
    hits: int
    asked: Callable[[Pair], dict[str, Any]]
    found: Callable[[Profile], int] = lambda profile: len(profile.rows[0]["found"])
    answers: int = WINDOW


def of_concept(index: str, hits: int, asked: Callable[[Pair], dict[str, Any]]) -> Case:
    return Case("history/of_concept", index, hits, asked, lambda p: sum(len(row["found"]) for row in p.rows))


def of_ids(name: str, index: str, hits: int) -> Case:
    return Case(f"history/{name}", index, hits, lambda pair: {"ids": list(pair.ids)}, lambda p: len(p.rows), 20)


CASES = {
    "of another, as far as one sees": Case(
        "history/of_sender", "SENT_BY(sender, createdAt, messageId)", 500, lambda pair: {"sender": pair.author}
    ),
    "one's own": Case(
        "history/of_sender",
        "SENT_BY(sender, createdAt, messageId)",
        300,
        lambda pair: {"sender": pair.author, "reader": pair.author},
    ),
    "what one sees": Case("history/seen", "DELIVERED_TO(mailbox, messageId)", 500, lambda _: {}),
    "what one sent": Case(
        "history/seen", "SENT_BY(sender, createdAt, messageId)", 500, lambda pair: {"reader": pair.author}
    ),
    "a thread": Case(
        "history/of_thread",
        "PART_OF_THREAD(thread, messageId)",
        500,
        lambda pair: {"thread": pair.thread},
    ),
    "of some": Case(
        "history/of_senders",
        "SENT_BY(sender, createdAt, messageId)",
        300,
        lambda pair: {"senders": [pair.author, pair.owner]},
    ),
    "everything": Case("history/every", "Message(id)", 300, lambda _: {"everything": True}),
    "between two": Case(
        "history/among",
        "SENT_TO(sender, address, createdAt, messageId)",
        700,
        lambda pair: {"between": [pair.author, pair.owner], "shared": ["@all"]},
    ),
    "between two, of a ticket": Case(
        "history/of_ticket",
        "PART_OF_THREAD(thread, messageId)",
        1_200,
        lambda pair: {
            "between": [pair.author, pair.owner],
            "ticket": pair.ticket,
            "references": WINDOW,
            "after": lowest_id(Prefix.MESSAGE, pair.since),
        },
    ),
    "a concept in one's mailbox": of_concept(
        "FILED_UNDER(mailbox, folder, concept, uid)", 300, lambda _: {"own": ["daily"], "every": []}
    ),
    "a concept on what one sent": of_concept(
        "TAGGED_CONCEPT(sender, concept, createdAt, messageId)",
        300,
        lambda pair: {"own": ["daily"], "every": [], "reader": pair.author, "mailboxes": [pair.author]},
    ),
    "a concept, to who sees everything": of_concept("Concept(name)", 300, lambda _: {"own": [], "every": ["daily"]}),
    "what figures are made of": of_ids("facts", "Message(id)", 800),
    "the ends of threads": of_ids("ends", "PART_OF_THREAD(thread, messageId)", 2_500),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_a_part_costs_the_same_however_much_was_sent(graph: Graph, pairs: list[Pair], case: Case) -> None:
    small, large = [
        await profiled(graph.database, query(case.query), {**period(pair), **reading(pair), **case.asked(pair)})
        for pair in pairs
    ]
    for profile in (small, large):
        assert case.found(profile) == case.answers, str(profile)
        assert profile.hits <= case.hits, str(profile)
        assert case.index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
        for step, feeding in zip(profile.steps, profile.steps[1:], strict=False):
            if SORTS.search(step.operator):
                assert feeding.rows <= 4 * WINDOW, str(profile)
    assert large.hits <= small.hits * 1.1, f"{small}\n\n{large}"


async def test_answers_are_looked_up_for_each_message(graph: Graph, agents: Agents, pairs: list[Pair]) -> None:
    """What is asked of messages without answers costs no more in a thread of thousands."""
    for pair in pairs:
        asked = {"ids": list(pair.ids), **reading(pair), "limit": 100}
        profile = await profiled(graph.database, query("history/answers"), asked)
        assert profile.rows == []
        assert profile.hits <= 400, str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)


async def test_a_session_costs_what_it_holds(graph: Graph, agents: Agents, pairs: list[Pair]) -> None:
    ada, bea = await agents("ada", "bea")
    for _ in range(5):
        await agents.send(ada, bea, origin_session="watch-9")
    (row,) = await graph.database.fetch(query("history/session"), {"name": "watch-9", "reader": ada})
    asked = {"session": row["session"], "window": 100, **Reader.alone(bea).parameters}
    profile = await profiled(graph.database, query("history/of_session"), asked)
    assert [len(profile.rows[0]["found"]), profile.rows[0]["own"]] == [5, False]
    assert profile.hits <= 200, str(profile)
    assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
