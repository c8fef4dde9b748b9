"""Tasks on the graph: who has them, who moves them, one winner of a claim, the end by the clock (issue 4, DESIGN §4).

The claimants and the sweeps are real parallel transactions, over one driver and over two.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.database import Database
from graph.errors import RefusalCode, Refused
from graph.queries import Query
from graph.readers import Reader
from graph.roles import NewRole, add_member, create_role
from graph.rules.addresses import EVERYONE
from graph.rules.rights import RoleDelivery
from graph.rules.tags import HANDOVER_TAG
from graph.rules.tasks import SYSTEM, TaskRequest, TaskState
from graph.tasks import (
    TaskCard,
    TaskEvent,
    TaskFilter,
    TaskRole,
    sweep_expired,
    task_cards,
    task_events,
    tasks,
    transition_task,
)
from tests.integration.test_races import at_once
from tests.support import Agents

SUBMITTED, WORKING, COMPLETED, CANCELED = (
    TaskState.SUBMITTED,
    TaskState.WORKING,
    TaskState.COMPLETED,
    TaskState.CANCELED,
)
HOUR = timedelta(hours=1)
STORED = Query(
    "test/task",
    """
    MATCH (m:Message)-[:CARRIES_TASK]->(t:Task {id: $id})
    RETURN m.id AS message, t.unclaimed AS unclaimed, t.open IS NOT NULL AS open,
      COUNT { (m)-[:CARRIES_TASK]->() } AS carried, COUNT { (t)-[:HAS_EVENT]->(:TaskEvent) } AS events
    """,
)


@dataclass(frozen=True)
class At:
    """A clock that stands still."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


@pytest_asyncio.fixture(scope="module")
async def second(graph: Graph) -> AsyncIterator[Database]:
    """Return another driver's connections to the same Neo4j, as another process has them."""
    at = graph.connection
    async with Database.connect(at.uri, at.username, at.password.get_secret_value(), at.database) as database:
        yield database


async def seen(graph: Graph, reader: str, task: str) -> TaskCard | None:
    return (await task_cards(graph.database, Reader.alone(reader), [task])).get(task)


async def state(graph: Graph, reader: str, task: str) -> TaskState:
    return (await task_cards(graph.database, Reader.alone(reader), [task]))[task].state


async def history(graph: Graph, task: str) -> tuple[TaskEvent, ...]:
    return (await task_events(graph.database, [task], 100, 0))[task].items


async def refusal(agents: Agents, who: str, task: str, to: TaskState, expected: TaskState | None = None) -> Refused:
    with pytest.raises(Refused) as refused:
        await (agents.move(who, task, to, expected=expected) if expected else agents.move(who, task, to))
    return refused.value


async def test_a_task_for_one_is_his_and_every_transition_leaves_one_event(agents: Agents, graph: Graph) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    task = await agents.task(ada, bea, cc=(cy,), lasts=HOUR)
    begun = await seen(graph, bea, task)
    assert begun is not None
    assert (begun.state, begun.originator, begun.assignee, begun.version) == (SUBMITTED, ada, bea, 0)
    assert begun.expires_at is not None
    assert begun.expires_at <= begun.created_at + HOUR
    moved = await agents.move(bea, task, WORKING, TaskState.INPUT_REQUIRED, note="Which lamp?")
    assert await seen(graph, ada, task) == moved
    await agents.move(ada, task, WORKING, expected=TaskState.INPUT_REQUIRED)
    done = await agents.move(bea, task, COMPLETED)
    assert await seen(graph, cy, task) == done
    events = await history(graph, task)
    assert [(e.seq, e.before, e.after, e.by, e.note) for e in events] == [
        (1, SUBMITTED, WORKING, bea, "Which lamp?"),
        (2, WORKING, TaskState.INPUT_REQUIRED, bea, "Which lamp?"),
        (3, TaskState.INPUT_REQUIRED, WORKING, ada, None),
        (4, WORKING, COMPLETED, bea, None),
    ]
    assert [e.at for e in events] == sorted(e.at for e in events)
    assert events[-1].at == done.updated_at
    (stored,) = await graph.database.fetch(STORED, {"id": task})
    assert stored == {"message": done.message, "unclaimed": None, "open": False, "carried": 1, "events": 4}


async def test_who_may_not_move_it_is_told_as_much_as_he_may_know(agents: Agents, graph: Graph) -> None:
    ada, bea, cy, eve = await agents("ada", "bea", "cy", "eve")
    task = await agents.task(ada, bea, cc=(cy,))
    absent = "task_01h2xcejqtf2nbrexx3vqjhp41"
    hidden, missing = [await refusal(agents, eve, id_, CANCELED) for id_ in (task, absent)]
    assert hidden.refusal is missing.refusal is RefusalCode.NOT_FOUND
    assert hidden.message.replace(task, "") == missing.message.replace(absent, "")
    assert await seen(graph, eve, task) is None
    for who, to in ((cy, WORKING), (cy, CANCELED), (ada, WORKING), (bea, CANCELED)):
        refused = await refusal(agents, who, task, to)
        assert (refused.refusal, refused.field) == (RefusalCode.FORBIDDEN, "to")
        assert "the assignee to WORKING, REJECTED" in refused.message
    assert (await refusal(agents, bea, task, WORKING, WORKING)).refusal is RefusalCode.STATE_MISMATCH
    assert (await refusal(agents, bea, task, TaskState.UNKNOWN)).refusal is RefusalCode.CONFLICT
    assert await history(graph, task) == ()


@pytest.mark.parametrize("delivery", RoleDelivery)
async def test_a_task_for_a_role_is_claimed_by_one_of_its_members(
    agents: Agents, graph: Graph, delivery: RoleDelivery
) -> None:
    ada, bea, cy, eve = await agents("ada", "bea", "cy", "eve")
    new = NewRole(f"role:keepers-{delivery.lower()}-{ada[5:]}", "Keep the lamp.", delivery)
    role = await create_role(graph.database, graph.clock, new, graph.limits)
    for member in (bea, cy):
        await add_member(graph.database, graph.clock, role, member)
    task = await agents.task(ada, role)
    queue = (role,) if delivery is RoleDelivery.QUEUE else ()
    members = [Reader(member, (member, *queue)) for member in (bea, cy)]
    for reader in members:
        claimable = await tasks(graph.database, reader, TaskFilter(TaskRole.CLAIMABLE), 20, None)
        assert [card.id for card in claimable.items] == [task]
    assert (await refusal(agents, eve, task, WORKING)).refusal is RefusalCode.NOT_FOUND
    # Who was granted the queue's mailbox reads it and does not work on it.
    if queue:
        with pytest.raises(Refused) as refused:
            await transition_task(graph.database, graph.clock, Reader(eve, (eve, role)), task, WORKING, graph.limits)
        assert refused.value.refusal is RefusalCode.FORBIDDEN
    assert (await transition_task(graph.database, graph.clock, members[1], task, WORKING, graph.limits)).assignee == cy
    with pytest.raises(Refused) as refused:
        await transition_task(graph.database, graph.clock, members[0], task, WORKING, graph.limits)
    assert refused.value.refusal is RefusalCode.STATE_MISMATCH


async def test_who_may_read_a_recipient_s_mailbox_looks_on(agents: Agents, graph: Graph) -> None:
    """DESIGN §3.10: a grant lets somebody see the task; it was not sent to him, so he neither claims nor moves it."""
    ada, bea, cy, eve = await agents("ada", "bea", "cy", "eve")
    granted = Reader(eve, (eve, bea))
    for task in (await agents.task(ada, bea), await agents.task(ada, bea, cy)):
        assert (await task_cards(graph.database, granted, [task]))[task].id == task
        for to in (WORKING, CANCELED, COMPLETED):
            with pytest.raises(Refused) as refused:
                await transition_task(graph.database, graph.clock, granted, task, to, graph.limits)
            assert refused.value.refusal is RefusalCode.FORBIDDEN
        assert await history(graph, task) == ()
    for role in TaskRole:
        assert (await tasks(graph.database, granted, TaskFilter(role), 20, None)).items == ()


@pytest.mark.parametrize("drivers", [1, 2])
async def test_of_twelve_claimants_one_gets_a_broadcast_task(
    agents: Agents, graph: Graph, second: Database, drivers: int
) -> None:
    ada, *many = await agents("ada", *(f"worker{number}" for number in range(12)))
    task = await agents.task(ada, EVERYONE)
    (late,) = await agents("late")
    clients = [agents, Agents(replace(graph, database=second))][:drivers]

    async def claims(number: int) -> TaskCard | Refused:
        try:
            return await clients[number % drivers].move(many[number], task, WORKING, expected=SUBMITTED)
        except Refused as refused:
            return refused

    answers = dict(zip(many, await at_once(map(claims, range(12))), strict=True))

    ((winner, card),) = [(who, got) for who, got in answers.items() if isinstance(got, TaskCard)]
    assert (card.state, card.assignee) == (WORKING, winner)
    lost = [got for got in answers.values() if isinstance(got, Refused)]
    assert Counter(refused.refusal for refused in lost) == {RefusalCode.STATE_MISMATCH: 11}
    assert all(f"{winner} has it" in refused.message for refused in lost)
    assert await seen(graph, next(who for who in many if who != winner), task) == card
    assert [(event.by, event.before, event.after) for event in await history(graph, task)] == [
        (winner, SUBMITTED, WORKING)
    ]
    (stored,) = await graph.database.fetch(STORED, {"id": task})
    assert (stored["unclaimed"], stored["events"]) == (None, 1)
    # DESIGN §3.7: who came later did not get it, and it is as if it were not there.
    assert (await refusal(agents, late, task, WORKING)).refusal is RefusalCode.NOT_FOUND
    assert (await agents.move(winner, task, COMPLETED)).assignee == winner


async def test_an_unclaimed_task_is_not_the_sender_s_to_claim_and_nobody_s_to_reject(agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    task = await agents.task(ada, ada, bea, cy)
    assert (await refusal(agents, ada, task, WORKING)).refusal is RefusalCode.FORBIDDEN
    assert (await refusal(agents, bea, task, TaskState.REJECTED)).refusal is RefusalCode.FORBIDDEN
    assert (await agents.move(cy, task, WORKING)).assignee == cy
    assert (await refusal(agents, bea, task, WORKING)).refusal is RefusalCode.STATE_MISMATCH
    assert (await refusal(agents, bea, task, COMPLETED)).refusal is RefusalCode.FORBIDDEN
    called_off = await agents.task(ada, bea, cy)
    await agents.move(ada, called_off, CANCELED)
    refused = await refusal(agents, bea, called_off, WORKING, SUBMITTED)
    assert refused.refusal is RefusalCode.STATE_MISMATCH
    assert "it is CANCELED, and nobody has it" in refused.message


async def test_the_lists_of_each_party(agents: Agents, graph: Graph) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    own = [await agents.task(ada, bea) for _ in range(5)]
    offered = [await agents.task(ada, bea, cy) for _ in range(3)]
    await agents.move(bea, own[0], WORKING, COMPLETED)
    await agents.move(bea, own[1], WORKING)
    await agents.move(cy, offered[0], WORKING)

    async def listed(who: str, role: TaskRole, *states: TaskState) -> list[str]:
        found: list[str] = []
        end, more = None, True
        while more:
            page = await tasks(graph.database, Reader.alone(who), TaskFilter(role, states), 2, end)
            found += [card.id for card in page.items]
            end, more = page.end, page.has_next
        return found

    assert await listed(bea, TaskRole.ASSIGNEE) == own[::-1]
    assert await listed(bea, TaskRole.ASSIGNEE, SUBMITTED, WORKING) == own[:0:-1]
    assert await listed(ada, TaskRole.ORIGINATOR) == (own + offered)[::-1]
    assert await listed(ada, TaskRole.ORIGINATOR, COMPLETED) == own[:1]
    assert await listed(ada, TaskRole.ASSIGNEE) == await listed(bea, TaskRole.ORIGINATOR) == []
    assert await listed(cy, TaskRole.ASSIGNEE) == offered[:1]
    assert await listed(bea, TaskRole.CLAIMABLE) == await listed(cy, TaskRole.CLAIMABLE) == offered[:0:-1]
    assert await listed(bea, TaskRole.CLAIMABLE, COMPLETED) == await listed(ada, TaskRole.CLAIMABLE) == []


async def test_a_retry_is_the_same_task_also_when_its_time_is_over(agents: Agents, graph: Graph) -> None:
    """DESIGN §3.9: the task is part of the content; the same send again is never refused for what has passed since."""
    ada, bea = await agents("ada", "bea")
    soon = TaskRequest(graph.clock.now() + HOUR)
    first = await agents.send(ada, bea, task=soon, idempotency_key="lamp")
    later = Agents(replace(graph, clock=At(graph.clock.now() + 2 * HOUR)))
    assert await later.send(ada, bea, task=soon, idempotency_key="lamp") == first
    for other in (TaskRequest(), TaskRequest(graph.clock.now() + 3 * HOUR)):
        with pytest.raises(Refused) as refused:
            await agents.send(ada, bea, task=other, idempotency_key="lamp")
        assert refused.value.refusal is RefusalCode.IDEMPOTENCY_CONFLICT
    with pytest.raises(Refused) as refused:
        await later.send(ada, bea, task=soon)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, "task.expiresAt")


async def test_a_handover_carries_no_task(agents: Agents) -> None:
    (ada,) = await agents("ada")
    with pytest.raises(Refused) as refused:
        await agents.send(ada, ada, tags=(HANDOVER_TAG,), origin_session="s-1", task=TaskRequest())
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.RESERVED_TAG, "task")


async def test_a_transition_after_the_time_ends_the_task_and_is_refused(agents: Agents, graph: Graph) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    task = await agents.task(ada, bea, lasts=HOUR)
    offered = await agents.task(ada, bea, cy, lasts=HOUR)
    later = At(graph.clock.now() + 2 * HOUR)
    # Nobody wrote it yet, so it is what it is.
    assert await state(graph, bea, task) is SUBMITTED
    for who, which, expected, code in (
        (bea, task, SUBMITTED, RefusalCode.STATE_MISMATCH),
        (bea, task, TaskState.EXPIRED, RefusalCode.CONFLICT),
        (cy, offered, SUBMITTED, RefusalCode.STATE_MISMATCH),
    ):
        with pytest.raises(Refused, match="EXPIRED") as refused:
            await agents.move(who, which, WORKING, expected=expected, clock=later)
        assert refused.value.refusal is code
    for which in (task, offered):
        assert await state(graph, ada, which) is TaskState.EXPIRED
        (event,) = await history(graph, which)
        assert (event.by, event.before, event.after, event.at) == (SYSTEM, SUBMITTED, TaskState.EXPIRED, later.moment)
    (stored,) = await graph.database.fetch(STORED, {"id": offered})
    assert (stored["unclaimed"], stored["open"]) == (None, False)


async def test_two_sweeps_at_once_end_each_task_once(agents: Agents, graph: Graph, second: Database) -> None:
    ada, bea = await agents("ada", "bea")
    due = [await agents.task(ada, bea, lasts=HOUR) for _ in range(25)]
    kept = [await agents.task(ada, bea, lasts=3 * HOUR), await agents.task(ada, bea)]
    done = await agents.task(ada, bea, lasts=HOUR)
    await agents.move(bea, done, WORKING, COMPLETED)
    later = At(graph.clock.now() + 2 * HOUR)

    async def moves(task: str) -> int:
        with contextlib.suppress(Refused):
            await agents.move(bea, task, WORKING)
        return 0

    swept = await at_once(
        [
            *(sweep_expired(database, later, at_once=10) for database in (graph.database, second) * 2),
            *(moves(task) for task in due[::5]),
        ]
    )

    # Tasks of other tests may have been due as well.
    assert sum(swept) >= len(due)
    for task in due:
        assert await state(graph, bea, task) is TaskState.EXPIRED
        events = await history(graph, task)
        assert [event.by for event in events][-1] == SYSTEM
        assert Counter(event.after for event in events)[TaskState.EXPIRED] == 1
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [await state(graph, bea, task) for task in (*kept, done)] == [
        SUBMITTED,
        SUBMITTED,
        COMPLETED,
    ]
    assert await sweep_expired(graph.database, later) == 0
