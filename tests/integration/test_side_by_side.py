"""Writers that touch nothing in common do not wait for each other (DESIGN §3.3, decision 0014).

One transaction has written and is held open while the other begins, does all of its work and commits.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from graph.database import Transaction
from graph.handovers import accept_handovers
from graph.identities import NewIdentity, register
from graph.permissions import block
from graph.readers import Reader
from graph.retracting import retract
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.marking import Mark
from graph.rules.planning import FreshIds, PlannedMessage
from graph.rules.tasks import TaskState
from graph.writing import Submission, submit
from tests.support import Agents, message

#: Long enough for a machine that is busy; one that waits for the other's locks would wait for ever.
PATIENCE = 30.0

Write = Callable[[], Awaitable[object]]


async def while_held_open(agents: Agents, sender: str, said: MessageInput, other: Write) -> str:
    """Send as ``sender``, and run ``other`` to its end before that is committed. Returns the message's id."""
    graph, written, may_commit = agents.graph, asyncio.Event(), asyncio.Event()
    submission = Submission(check_draft(sender, said, graph.limits), FreshIds.made(graph.clock.now()))

    async def work(tx: Transaction) -> str:
        (outcome,) = await submit(tx, [submission])
        assert isinstance(outcome, PlannedMessage), outcome
        written.set()
        await may_commit.wait()
        return outcome.id

    holding = asyncio.create_task(graph.database.write(work))
    try:
        await asyncio.wait_for(written.wait(), PATIENCE)
        await asyncio.wait_for(other(), PATIENCE)
    finally:
        may_commit.set()
        sent = await holding
    return sent


@pytest.mark.parametrize("tags", [(), ("tide",)], ids=["no tags", "a tag that both know"])
async def test_sends_between_different_people_do_not_wait_for_each_other(agents: Agents, tags: tuple[str, ...]) -> None:
    ada, bea, cyd, dan = await agents("ada", "bea", "cyd", "dan")
    await agents.send(ada, bea, tags=("tide",))
    asked = await agents.send(dan, cyd)

    async def other() -> None:
        await agents.send(cyd, dan, tags=tags, idempotency_key="mine")
        await agents.send(cyd, in_reply_to=asked, tags=tags)

    sent = await while_held_open(agents, ada, message(bea, tags=tags, idempotency_key="mine"), other)
    assert next(iter(await agents.entries(bea))).message.id == sent
    assert len(await agents.entries(dan)) == 2


async def test_nothing_that_others_do_waits_for_a_send(agents: Agents) -> None:
    graph = agents.graph
    ada, bea, cyd, dan = await agents("ada", "bea", "cyd", "dan")
    earlier = await agents.send(cyd, dan, tags=("tide",))
    task = await agents.task(cyd, dan)
    acts: dict[str, Write] = {
        "read": lambda: agents.read(dan, earlier),
        "archive": lambda: agents.mark(dan, Mark.ARCHIVE, earlier),
        "tag": lambda: agents.tag(dan, earlier, add=("tide", "a tag of dan's")),
        "work on a task": lambda: agents.move(dan, task, TaskState.WORKING),
        "remember": lambda: agents.remember(dan, "The reef is south.", tags=("tide",)),
        "hand over": lambda: agents.hand_over(dan, "watch-1"),
        "accept": lambda: accept_handovers(graph.database, graph.clock, dan, "watch-2", None, graph.limits),
        "block": lambda: block(graph.database, graph.clock, dan, cyd),
        "register": lambda: register(graph.database, graph.clock, NewIdentity("@eve-side-by-side"), graph.limits),
        "retract": lambda: retract(graph.database, graph.clock, Reader.alone(cyd), earlier),
    }

    async def other() -> None:
        for act in acts.values():
            await act()

    sent = await while_held_open(agents, ada, message(bea, tags=("tide",)), other)
    assert [entry.message.id for entry in await agents.entries(bea)] == [sent]
