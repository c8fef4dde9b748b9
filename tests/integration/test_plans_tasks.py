"""What the database does for lists of tasks and for the sweep: the same for 60 tasks as for 1,200 (DESIGN §2)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.queries import query
from graph.readers import Reader
from graph.rules.tasks import OPEN, TaskRequest, TaskState
from graph.scanning import LAST_ID
from graph.tasks import task_cards
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL
from tests.support import Agents, message, profiled

SIZES = (60, 1200)
#: One more than the page, to know whether there is a next one.
WINDOW = 21


@dataclass(frozen=True)
class Worker:
    """Who has ``size`` tasks from ``originator``, the first of which was moved on six times; ``messages`` are 20."""

    handle: str
    originator: str
    size: int
    messages: tuple[str, ...]
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A query, what it is asked, the index that must serve it, and what a page may cost."""

    query: str
    index: str
    hits: int
    asked: Callable[[Worker], dict[str, Any]]
    answers: int = WINDOW


def listed(name: str, of: Callable[[Worker], str], states: frozenset[TaskState]) -> Case:
    """Return the case of one party's list."""
    return Case(
        f"tasks/of_{name}",
        f"Task({name}, state, id)",
        400,
        lambda worker: {"handle": of(worker), "states": sorted(states), "before": LAST_ID, "limit": WINDOW},
    )


CASES = {
    "to do": listed("assignee", lambda worker: worker.handle, frozenset({TaskState.SUBMITTED})),
    "open ones to do": listed("assignee", lambda worker: worker.handle, OPEN),
    "all to do": listed("assignee", lambda worker: worker.handle, frozenset(TaskState)),
    "given": listed("originator", lambda worker: worker.originator, frozenset(TaskState)),
    "of messages": Case(
        "tasks/of_messages", "Task(message)", 400, lambda worker: {"ids": list(worker.messages)}, answers=20
    ),
    "by id": Case(
        "tasks/cards",
        "Task(id)",
        500,
        lambda worker: {"ids": list(worker.tasks), **Reader.alone(worker.handle).parameters},
        answers=20,
    ),
    "a history": Case(
        "tasks/events",
        "TaskEvent(task, seq)",
        150,
        lambda worker: {"ids": [worker.tasks[0]], "after": 0, "limit": WINDOW},
        answers=6,
    ),
}


async def worker(graph: Graph, agents: Agents, size: int) -> Worker:
    handle, originator = await agents(f"worker{size}", "originator")
    lasting = TaskRequest(graph.clock.now() + timedelta(days=1))
    sent = await bulk(graph, Ticking(graph.clock.now()), originator, [message(handle, task=lasting)] * size)
    messages = tuple(one.id for one in sent[-20:])
    tasks = tuple(one.task.id for one in sent[-20:] if one.task is not None)
    for _ in range(3):
        await agents.move(handle, tasks[0], TaskState.WORKING, TaskState.BLOCKED)
    return Worker(handle, originator, size, messages, tasks)


@pytest_asyncio.fixture(scope="module")
async def workers(graph: Graph, agents: Agents) -> list[Worker]:
    """Make one worker of each size, all of them before any is asked."""
    return [await worker(graph, agents, size) for size in SIZES]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_a_page_costs_the_same_however_many_tasks(graph: Graph, workers: list[Worker], case: Case) -> None:
    small, large = [await profiled(graph.database, query(case.query), case.asked(worker)) for worker in workers]
    for profile in (small, large):
        assert len(profile.rows) == case.answers, str(profile)
        assert profile.hits <= case.hits, str(profile)
        assert case.index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
    assert large.hits <= small.hits * 1.1, f"{small}\n\n{large}"


async def test_the_sweep_looks_at_what_is_due_and_at_no_more_than_a_batch(graph: Graph, workers: list[Worker]) -> None:
    now = graph.clock.now()
    nothing = await profiled(graph.database, query("tasks/due"), {"now": now, "limit": 200})
    assert nothing.rows == []
    assert nothing.hits <= 10, str(nothing)
    # All of the larger worker's are due in two days; a batch costs what it holds.
    later = {"now": now + timedelta(days=2), "limit": 50}
    batch = await profiled(graph.database, query("tasks/due"), later)
    assert len(batch.rows) == 50
    assert batch.hits <= 200, str(batch)
    assert "Task(open, expiresAt)" in str(batch)
    assert not [step for step in batch.steps if READS_ALL.search(step.operator)], str(batch)


async def test_what_one_may_claim_is_found_among_what_is_unclaimed_alone(
    graph: Graph, agents: Agents, workers: list[Worker]
) -> None:
    worker = workers[-1]
    task = await agents.task(worker.originator, worker.handle, workers[0].handle)
    asked = {**Reader.alone(worker.handle).parameters, "before": LAST_ID, "window": WINDOW}
    profile = await profiled(graph.database, query("tasks/unclaimed"), asked)
    assert (profile.rows[0]["id"], profile.rows[0]["claimable"]) == (task, True)
    assert "Task(unclaimed, id)" in str(profile)
    assert profile.hits <= 40 * len(profile.rows), str(profile)
    assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
    await agents.move(worker.handle, task, TaskState.WORKING)
    asked["before"] = task + "~"
    assert task not in [row["id"] for row in (await profiled(graph.database, query("tasks/unclaimed"), asked)).rows]
    assert (await task_cards(graph.database, Reader.alone(worker.handle), [task]))[task].assignee == worker.handle
