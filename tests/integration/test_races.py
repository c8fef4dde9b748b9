"""Many at once on the same mailboxes, threads, stacks and names (DESIGN §3.2, §3.3, §3.4, §3.9, §6).

The writers are real parallel transactions: tasks over one driver, and over two.
"""

import asyncio
import logging
import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.database import Database
from graph.errors import RefusalCode, Refused
from graph.handovers import Accepted, accept_handovers, handovers, return_handovers
from graph.identities import NewIdentity, identity_cards, register
from graph.mailbox import InboxFilter
from graph.queries import Query
from graph.readers import Reader
from graph.rules.addresses import EVERYONE
from graph.rules.drafts import NEW_THREAD
from graph.threads import forks
from tests.soak.audit import faults, mailbox_audit, sent_messages
from tests.support import Agents, message

T = TypeVar("T")

SENDERS = 8
NAMED = Query(
    "test/named",
    """
    RETURN COUNT { MATCH (c:Concept) WHERE c.name IN $tags } AS concepts,
      COUNT { MATCH (k:Ticket) WHERE k.key IN $tickets } AS tickets,
      COUNT { MATCH (s:Session) WHERE s.agent IN $agents } AS sessions
    """,
)


async def at_once(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run everything in parallel and return the results in order; the first failure is raised, and ends the rest."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in work]
    return [task.result() for task in tasks]


@pytest.fixture(autouse=True)
def no_transaction_was_tried_twice(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which writers got in each other's way: the order of locks leaves no cause for it."""
    with caplog.at_level(logging.WARNING, logger="graph.database"):
        yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.name == "graph.database"] == []


@pytest_asyncio.fixture(scope="module")
async def second(graph: Graph) -> AsyncIterator[Database]:
    """Return another driver's connections to the same Neo4j, as another process has them."""
    at = graph.connection
    async with Database.connect(at.uri, at.username, at.password.get_secret_value(), at.database) as database:
        yield database


@pytest.mark.parametrize(("drivers", "each", "together"), [(1, 25, 1), (2, 10, 64)])
async def test_parallel_senders_leave_no_gap_and_lose_nothing(
    agents: Agents, second: Database, drivers: int, each: int, together: int
) -> None:
    """Each send in a transaction of its own, and the transactions of two processes that are shared."""
    settings = agents.graph.settings.model_copy(update={"sends_together": together})
    handles = await agents(*(f"sender{number}" for number in range(SENDERS)))
    databases = [agents.graph.database, second][:drivers]
    clients = [Agents(replace(agents.graph, database=database, settings=settings)) for database in databases]
    chance = random.Random(4)  # noqa: S311 - it only has to vary, and to vary alike in every run
    expected: dict[str, set[str]] = {handle: set() for handle in handles}
    doubled: Counter[str] = Counter()

    async def sends(sender: str, client: Agents) -> None:
        for number in range(each):
            to = (EVERYONE,) if number % 5 == 0 else tuple(chance.sample(handles, chance.randint(1, 4)))
            sent = await client.send(sender, *to, subject=f"{sender} {number}", tags=("races", f"tide-{number % 3}"))
            doubled[sent] += 1
            for recipient in handles if to == (EVERYONE,) else to:
                if to != (EVERYONE,) or recipient != sender:
                    expected[recipient].add(sent)

    await at_once(sends(handle, clients[index % drivers]) for index, handle in enumerate(handles))

    assert len(doubled) == SENDERS * each
    assert await faults(agents.graph.database, handles) == []
    assert (await sent_messages(agents.graph.database, handles)).keys() == doubled.keys()
    for handle in handles:
        box = await mailbox_audit(agents.graph.database, handle)
        assert set(box.messages) == box.unread == expected[handle]
        assert box.modseq == len(box.entries), "each delivery was one change"
        assert [entry.modseq for entry in box.entries] == [entry.uid for entry in box.entries]
        unread = await agents.inbox(handle, InboxFilter(unread=True))
        assert unread.unread_count == len(expected[handle])
        listed = await agents.entries(handle)
        assert [entry.uid for entry in listed] == list(range(len(listed), 0, -1))
        assert {entry.message.id for entry in listed} == expected[handle]
    # What one sender sent one after the other, everybody got in that order.
    box = await mailbox_audit(agents.graph.database, handles[0])
    by_sender: dict[str, list[int]] = {}
    for entry in reversed(await agents.entries(handles[0])):
        by_sender.setdefault(entry.message.sender, []).append(int(entry.message.subject.split()[1]))
    assert all(numbers == sorted(numbers) for numbers in by_sender.values())


async def test_twenty_retries_at_once_make_one_message(agents: Agents, second: Database) -> None:
    ada, bea = await agents("ada", "bea")
    clients = agents, Agents(replace(agents.graph, database=second))
    same = message(bea, EVERYONE, idempotency_key="the-tide", tags=("races",))

    answers = await at_once(clients[number % 2].submit(ada, same) for number in range(20))

    assert len({answer.message for answer in answers}) == 1
    assert Counter(answer.duplicate for answer in answers) == {False: 1, True: 19}
    assert (await mailbox_audit(agents.graph.database, bea)).messages == [answers[0].message]
    with pytest.raises(Refused) as refused:
        await agents.submit(ada, message(bea, EVERYONE, idempotency_key="the-tide", body_text="Another text."))
    assert refused.value.refusal is RefusalCode.IDEMPOTENCY_CONFLICT
    assert await faults(agents.graph.database, [ada, bea]) == []


async def test_of_twelve_sessions_one_takes_the_whole_stack(agents: Agents, graph: Graph) -> None:
    (ada,) = await agents("ada")
    stack = [await agents.hand_over(ada, f"old-{number}") for number in range(3)]

    async def accepts(session: str) -> Accepted:
        return await accept_handovers(graph.database, graph.clock, ada, session, None, graph.limits)

    names = [f"new-{number}" for number in range(12)]
    answers = dict(zip(names, await at_once(map(accepts, names)), strict=True))

    (winner,) = [name for name, answer in answers.items() if answer.handovers]
    taken = answers[winner]
    assert [card.message for card in taken.handovers] == stack
    assert taken.effective is not None
    assert taken.effective.message == stack[-1]
    assert (await handovers(graph.database, ada, 10, None)).items == ()
    box = await mailbox_audit(graph.database, ada)
    assert (box.unread, box.unread_count, box.modseq) == (set(), 0, 6)

    # The winner asks again and gets the same; given back, the stack is there for the next one, and stays read.
    assert await accepts(winner) == taken
    await return_handovers(graph.database, ada, winner, None, graph.limits)
    assert [card.message for card in (await handovers(graph.database, ada, 10, None)).items] == stack
    box = await mailbox_audit(graph.database, ada)
    assert (box.unread, box.modseq) == (set(), 9)
    assert box.faults() == []


async def test_reading_accepting_and_sending_at_once_keep_the_counters(agents: Agents, graph: Graph) -> None:
    ada, bea, cas = await agents("ada", "bea", "cas")
    first = [await agents.send(bea, ada, tags=("races", f"tide-{number % 3}")) for number in range(30)]
    stack = [await agents.hand_over(ada, f"old-{number}") for number in range(3)]
    taken: list[str] = []
    looks = 0

    async def sends(sender: str) -> None:
        for number in range(20):
            await agents.send(sender, ada, EVERYONE, tags=("races", f"tide-{number % 3}"))

    async def reads(offset: int) -> None:
        # Neighbouring readers have most of their messages in common.
        for start in range(offset, 25, 5):
            await agents.read(ada, *first[start : start + 10])

    async def accepts(session: str) -> None:
        accepted = await accept_handovers(graph.database, graph.clock, ada, session, None, graph.limits)
        taken.extend(card.message for card in accepted.handovers)

    async def watches() -> None:
        nonlocal looks
        while True:
            box = await mailbox_audit(graph.database, ada)
            assert box.faults() == []
            looks += 1

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watches())
        await at_once(
            [
                *(sends(sender) for sender in (bea, cas)),
                *(reads(offset) for offset in range(5)),
                *(accepts(f"new-{number}") for number in range(4)),
            ]
        )
        watching.cancel()

    assert looks > 0
    assert taken == stack
    assert await faults(graph.database, [ada, bea, cas]) == []
    box = await mailbox_audit(graph.database, ada)
    assert len(box.entries) == 30 + 3 + 40
    assert box.unread == set(box.messages) - set(first) - set(stack)
    assert box.modseq == 73 + 33, "each delivery, each first reading and each acceptance was one change"
    assert {entry.message.id for entry in (await agents.inbox(ada, InboxFilter(unread=True))).page.items} == box.unread


async def test_parallel_replies_are_all_counted_in_the_thread(agents: Agents, graph: Graph) -> None:
    handles = await agents("ada", "bea", "cas", "dot")
    opening = await agents.send(handles[0], *handles[1:], subject="Who takes the watch?")
    (entry,) = await agents.entries(handles[1])

    async def answers(sender: str, thread: str | None) -> str:
        said = message(*handles, in_reply_to=opening) if thread is None else message(in_reply_to=opening, thread=thread)
        return (await agents.submit(sender, said)).message

    joined = await at_once(answers(handles[number % 4], None) for number in range(24))
    forked = await at_once(answers(handles[number % 4], NEW_THREAD) for number in range(8))

    assert await faults(graph.database, handles) == []
    places = await agents.thread(handles[2], entry.message.thread)
    assert {place.message for place in places} == {opening, *joined}
    assert [place.depth for place in places] == [0] + [1] * 24
    found = await forks(graph.database, Reader.alone(handles[0]), [entry.message.thread])
    assert len(found[entry.message.thread].threads) == len(forked)


async def test_new_concepts_tickets_and_sessions_may_be_first_named_by_many_at_once(agents: Agents) -> None:
    handles = await agents(*(f"sender{number}" for number in range(SENDERS)))
    mark = handles[0].rpartition("-")[2]
    tags = [f"first-{mark}-{number}" for number in range(6)]
    tickets = [f"{mark}/repo#{number + 1}" for number in range(6)]
    chance = random.Random(4)  # noqa: S311 - it only has to vary, and to vary alike in every run

    await at_once(
        agents.send(
            handle,
            *handles,
            tags=tuple(chance.sample(tags, 6)),
            tickets=tuple(chance.sample(tickets, 6)),
            origin_session="first",
        )
        for handle in handles * 3
    )

    assert await faults(agents.graph.database, handles) == []
    (row,) = await agents.graph.database.fetch(NAMED, {"tags": tags, "tickets": tickets, "agents": handles})
    assert row == {"concepts": 6, "tickets": 6, "sessions": SENDERS}


async def test_of_many_who_register_one_handle_one_wins(graph: Graph, second: Database) -> None:
    handle = f"@eve-{secrets.token_hex(3)}"

    async def registers(database: Database) -> RefusalCode | None:
        try:
            await register(database, graph.clock, NewIdentity(handle), graph.limits)
        except Refused as refused:
            return refused.refusal
        return None

    answers = await at_once(registers((graph.database, second)[number % 2]) for number in range(12))

    assert Counter(answers) == {None: 1, RefusalCode.CONFLICT: 11}
    assert (await identity_cards(graph.database, [handle])).keys() == {handle}
    assert await faults(graph.database, [handle]) == []
