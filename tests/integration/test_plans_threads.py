"""What the database does for threads: the same however large mailbox and crowd of replies (DESIGN §2, issue 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.queries import query
from graph.readers import Reader
from graph.scanning import LAST_ID
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL, SORTS, WINDOW
from tests.support import Agents, message, profiled

SIZES = (100, 1500)


@dataclass(frozen=True)
class Crowd:
    """``owner`` got ``size`` replies to a question and wrote as many letters; ``threads`` are 20 of those he wrote."""

    owner: str
    question: str
    thread: str
    threads: tuple[str, ...]
    size: int


async def crowd(graph: Graph, agents: Agents, size: int) -> Crowd:
    owner, other = await agents("owner", "other")
    clock = Ticking(graph.clock.now())
    (question,) = await bulk(graph, clock, owner, [message(other, expects_reply=True)])
    letters = await bulk(graph, clock, owner, [message(other, tags=("tide",))] * size)
    await bulk(graph, clock, other, [message(owner, in_reply_to=question.id)] * size)
    return Crowd(owner, question.id, question.thread, tuple(one.thread for one in letters[:20]), size)


@pytest_asyncio.fixture(scope="module")
async def crowds(graph: Graph, agents: Agents) -> list[Crowd]:
    """Make a crowd of each size, both before any is asked."""
    return [await crowd(graph, agents, size) for size in SIZES]


@dataclass(frozen=True)
class Case:
    """A query, what it is asked, the index that must serve it, and what it may cost."""

    query: str
    index: str
    hits: int
    asked: Callable[[Crowd], dict[str, Any]]
    answers: int = WINDOW


def _scan(crowd: Crowd) -> dict[str, Any]:
    return {"before": LAST_ID, "since": "", "window": WINDOW}


CASES = {
    "replies": Case(
        "messages/replies",
        "IN_REPLY_TO(parent, messageId)",
        1000,
        lambda crowd: {"ids": [crowd.question], "after": "", "limit": WINDOW},
    ),
    "replies, counted to 50": Case(
        "messages/reply_counts",
        "IN_REPLY_TO(parent, messageId)",
        800,
        lambda crowd: {"ids": [crowd.question], "limit": 50},
        answers=1,
    ),
    "the newest messages": Case("threads/newest", "DELIVERED_TO(mailbox, messageId)", 400, _scan, answers=2 * WINDOW),
    "the newest of what one sent": Case("threads/newest", "SENT_BY(sender, messageId)", 400, _scan, 2 * WINDOW),
    "the newest of all": Case("threads/newest_all", "Message(id)", 300, _scan),
    "threads not listed yet": Case(
        "threads/unlisted",
        "PART_OF_THREAD(thread, messageId)",
        300,
        lambda crowd: {"ids": list(crowd.threads), "start": LAST_ID},
        answers=20,
    ),
    "threads that fit a filter": Case(
        "threads/fitting",
        "PART_OF_THREAD(thread, messageId)",
        1000,
        lambda crowd: {"ids": list(crowd.threads), "participant": crowd.owner, "tags": [["tide"]]},
        answers=20,
    ),
    "who is asked": Case("threads/asked", "Message(id)", 100, lambda crowd: {"ids": [crowd.question]}, answers=1),
    "a thread's beginning": Case(
        "threads/subjects", "PART_OF_THREAD(thread, messageId)", 60, lambda crowd: {"ids": [crowd.thread]}, answers=1
    ),
    "as much of a thread as is rebuilt": Case(
        "threads/skeleton",
        "PART_OF_THREAD(thread, messageId)",
        1500,
        lambda crowd: {"ids": [crowd.thread], "most": WINDOW, "limit": 100},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_it_costs_the_same_however_many_there_are(graph: Graph, crowds: list[Crowd], case: Case) -> None:
    small, large = [
        await profiled(graph.database, query(case.query), {**case.asked(crowd), **Reader.alone(crowd.owner).parameters})
        for crowd in crowds
    ]
    for profile in (small, large):
        assert len(profile.rows) == case.answers, str(profile)
        assert profile.hits <= case.hits, str(profile)
        assert case.index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
        for step, feeding in zip(profile.steps, profile.steps[1:], strict=False):
            if SORTS.search(step.operator):
                assert feeding.rows <= 2 * WINDOW, str(profile)
    assert large.hits <= small.hits * 1.1, f"{small}\n\n{large}"
