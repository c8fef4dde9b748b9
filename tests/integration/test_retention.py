"""Retention deletes what is too old or too much, and leaves whole threads and exact counts (LESSONS 17, 18, 19)."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from graph import retention
from graph.bootstrap import Graph
from graph.clock import Clock
from graph.database import Database, Transaction
from graph.errors import Refused
from graph.handovers import accept_handovers, handovers
from graph.memories import memory_cards
from graph.messages import message_cards
from graph.queries import Query
from graph.queues import claim, finish
from graph.readers import Reader
from graph.retention import apply_retention
from graph.roles import NewRole, add_member, create_role
from graph.rules.drafts import MessageInput
from graph.rules.retention import Policy
from graph.rules.retention_ledger import RetentionReport
from graph.rules.rights import RoleDelivery
from graph.sending import send_message
from graph.sent import SentFilter, sent
from graph.sessions import session_cards
from graph.threads import participants, spans, thread_of
from tests.support import Agents, message

#: The tests delete what is as old as nothing that other tests write.
YEARS_AGO = timedelta(days=365 * 40)
OLD = 365 * 40 - 10


class At:
    """A clock that stands still."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


class Past:
    """The shared graph forty years ago, when nobody else wrote: what is old is this test's own."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._moment = graph.clock.now() - YEARS_AGO

    async def send(self, sender: str, *to: str, **said: Any) -> str:
        """Send a message in the past, each a second after the one before."""
        self._moment += timedelta(seconds=1)
        return await _send(self.graph, At(self._moment), sender, message(*to, **said))

    async def reply(self, sender: str, parent: str, **said: Any) -> str:
        """Answer in the past."""
        return await self.send(sender, **{**said, "in_reply_to": parent})

    async def run(
        self, *, dry: bool = False, batches: int | None = None, tags: tuple[str, ...] = ()
    ) -> RetentionReport:
        """Delete what is older than some days after then."""
        policy = Policy(OLD, None, tags)
        return await apply_retention(self.graph.database, self.graph.clock, policy, dry_run=dry, batches=batches)

    async def both(self, **said: Any) -> RetentionReport:
        """Count what would go, delete it, and return the figures, which must be the same."""
        counted = await self.run(dry=True, **said)
        done = await self.run(**said)
        assert _figures(counted) == _figures(done)
        return done


async def _send(graph: Graph, clock: Clock, sender: str, said: MessageInput) -> str:
    return (await send_message(graph.committer, clock, sender, said, graph.limits)).message


@pytest_asyncio.fixture
async def past(graph: Graph) -> Past:
    """Return the past, with nothing in it that other tests wrote."""
    past = Past(graph)
    await past.run()
    return past


def _figures(report: RetentionReport) -> tuple[Any, ...]:
    return (
        report.messages,
        report.entries,
        report.mailboxes,
        report.tombstones,
        report.collected,
        report.oldest,
        report.newest,
        report.has_more,
    )


async def _sent(graph: Graph, sender: str) -> list[str]:
    return [card.id for card in (await sent(graph.database, sender, SentFilter(), 100, None)).items]


async def _ids(agents: Agents, reader: str) -> list[str]:
    return [entry.message.id for entry in await agents.entries(reader)]


async def test_what_is_old_is_gone_for_sender_and_recipient_and_counts_are_exact(
    graph: Graph, agents: Agents, past: Past
) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    old = [await past.send(ada, bea, tags=("tide",)), await past.send(ada, bea, cy), await past.send(bea, ada)]
    young = await agents.send(ada, bea)
    await agents.read(bea, old[0])
    report = await past.both()
    assert (report.messages, report.entries, report.mailboxes, report.tombstones) == (3, 4, 3, 0)
    assert await _ids(agents, bea) == [young]
    assert await _ids(agents, ada) == await _ids(agents, cy) == []
    assert await _sent(graph, ada) == [young]
    assert [(await agents.inbox(who)).unread_count for who in (ada, bea, cy)] == [0, 1, 0]
    assert await message_cards(graph.database, Reader.alone(ada), old) == {}
    assert [await thread_of(graph.database, Reader.alone(ada), id_) for id_ in old] == [None] * 3
    assert await graph.database.fetch(
        _ask("RETURN COUNT { (m:Message) WHERE m.id IN $ids } AS left"), {"ids": old}
    ) == [{"left": 0}]
    again = await past.both()
    assert _figures(again) == (0, 0, 0, 0, 0, None, None, False)


def _ask(text: str) -> Query:
    return Query("test", text)


async def test_a_message_that_is_answered_leaves_its_place_and_nothing_else(
    graph: Graph, agents: Agents, past: Past
) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    memory = await agents.remember(ada)
    question = await past.send(
        ada,
        bea,
        tags=("tide",),
        tickets=("lamp#1",),
        memories=(memory,),
        origin_session=f"s-{ada}",
        idempotency_key="k",
    )
    answer = await past.reply(bea, question)
    late = await agents.reply(ada, answer)
    later = await agents.reply(bea, late)
    thread = await thread_of(graph.database, Reader.alone(ada), late)
    assert thread is not None
    report = await past.both()
    assert (report.messages, report.entries, report.tombstones) == (2, 2, 2)
    for reader in (ada, bea):
        places = await agents.thread(reader, thread)
        assert [(place.depth, place.message, place.parent) for place in places] == [
            (0, None, None),
            (1, None, None),
            (2, late, None),
            (3, later, late),
        ]
        alone = Reader.alone(reader)
        assert (await spans(graph.database, alone, [thread]))[thread].messages == 2
        taking_part = (await participants(graph.database, alone, [thread]))[thread]
        assert [one.handle for one in taking_part] == sorted([ada, bea])
    assert await agents.thread(cy, thread) == []
    (left,) = await graph.database.fetch(
        _ask(
            "MATCH (m:Message {id: $id}) RETURN keys(m) AS keys,"
            " COLLECT { MATCH (m)-[r]->() RETURN type(r) } AS out, COUNT { (m)<--() } AS on"
        ),
        {"id": question},
    )
    assert (sorted(left["keys"]), left["out"], left["on"]) == (["createdAt", "expungedAt", "id"], ["PART_OF_THREAD"], 1)
    (counted,) = await graph.database.fetch(
        _ask("MATCH (t:Thread {id: $id}) RETURN t.messageCount AS messages"), {"id": thread}
    )
    assert counted == {"messages": 2}
    # What the message named is still there, for those it belongs to; bea saw the memory by the message alone.
    assert set(await memory_cards(graph.database, Reader.alone(ada), [memory])) == {memory}
    assert await memory_cards(graph.database, Reader.alone(bea), [memory]) == {}
    rows = await graph.database.fetch(_ask("MATCH (s:Session {agent: $a}) RETURN s.id AS id"), {"a": ada})
    assert len(await session_cards(graph.database, Reader.alone(ada), [rows[0]["id"]])) == 1


async def test_tombstones_go_with_the_last_that_hangs_on_them(graph: Graph, agents: Agents, past: Past) -> None:
    ada, bea = await agents("ada", "bea")
    first = await past.send(ada, bea)
    second = await past.reply(bea, first)
    kept = await past.reply(ada, second, tags=("decision",))
    thread = await thread_of(graph.database, Reader.alone(ada), kept)
    report = await past.both(tags=("decision",))
    assert (report.messages, report.tombstones, report.collected) == (2, 2, 0)
    assert await _ids(agents, bea) == [kept]
    report = await past.both()
    assert (report.messages, report.tombstones, report.collected) == (1, 0, 2)
    left = _ask("RETURN COUNT { (m:Message) WHERE m.id IN $ids } + COUNT { (t:Thread) WHERE t.id IN $ids } AS left")
    assert await graph.database.fetch(left, {"ids": [first, second, kept, thread]}) == [{"left": 0}]


async def test_a_fork_holds_the_message_it_left(graph: Graph, agents: Agents, past: Past) -> None:
    ada, bea = await agents("ada", "bea")
    first = await past.send(ada, bea)
    fork = await agents.reply(bea, first, thread="new", subject="Another lamp")
    report = await past.both()
    assert (report.messages, report.tombstones) == (1, 1)
    thread = await thread_of(graph.database, Reader.alone(ada), fork)
    assert thread is not None
    assert [(place.depth, place.message) for place in await agents.thread(ada, thread)] == [(0, fork)]


async def test_nothing_that_is_still_to_be_done_goes(graph: Graph, agents: Agents, past: Past) -> None:
    """Pending handovers, open tasks, and the operator's exceptions, also by a holder's own tag, stay."""
    ada, bea = await agents("ada", "bea")
    _, tasked, filed = [await past.send(bea, ada) for _ in range(3)]
    handover = await past.send(
        ada, ada, tags=("sunset-protocol-handover",), origin_session=f"s-{ada}", subject="Handover"
    )

    async def prepare(tx: Transaction) -> None:
        await tx.run(
            _ask(
                "MATCH (m:Message {id: $id}) CREATE (m)-[:CARRIES_TASK]->(t:Task {open: true, id: $id})"
                " CREATE (t)-[:HAS_EVENT]->(:TaskEvent {id: $id})"
            ),
            {"id": tasked},
        )

    await graph.database.write(prepare)
    await agents.tag(ada, filed, add=("mine", "decision"))
    report = await past.both(tags=("decision",))
    assert report.messages == 1
    assert await _ids(agents, ada) == [handover, filed, tasked]
    assert [card.message for card in (await handovers(graph.database, ada, 10, None)).items] == [handover]

    async def finish(tx: Transaction) -> None:
        await tx.run(_ask("MATCH (m:Message {id: $id})-[:CARRIES_TASK]->(t) REMOVE t.open"), {"id": tasked})

    await graph.database.write(finish)
    await accept_handovers(graph.database, graph.clock, ada, "boot", None, graph.limits)
    assert (await past.both(tags=("decision",))).messages == 2
    tasks = "MATCH (n) WHERE n.id = $id AND (n:Task OR n:TaskEvent) RETURN count(n) AS left"
    assert await graph.database.fetch(_ask(tasks), {"id": tasked}) == [{"left": 0}]
    assert await _ids(agents, ada) == [filed]


async def test_what_nobody_finished_in_a_queue_stays(graph: Graph, agents: Agents, past: Past) -> None:
    ada, bea = await agents("ada", "bea")
    queue = f"role:lamps-{ada[1:]}"
    await create_role(graph.database, graph.clock, NewRole(queue, None, RoleDelivery.QUEUE), graph.limits)
    await add_member(graph.database, graph.clock, queue, bea)
    lamp = await past.send(ada, queue)
    assert (await past.both()).messages == 0
    worker = Reader(bea, (bea, queue))
    held = await claim(graph.database, graph.clock, worker, queue, lamp, 60)
    assert (await past.both()).messages == 0
    await finish(graph.database, graph.clock, worker, queue, lamp, held.token)
    assert (await past.both()).messages == 1
    assert await message_cards(graph.database, worker, [lamp]) == {}
    await _consistent(graph, ada, bea, queue)


async def test_older_states_of_a_mailbox_that_lost_something_are_too_old(
    graph: Graph, agents: Agents, past: Past
) -> None:
    ada, bea = await agents("ada", "bea")
    await past.send(bea, ada)
    await past.send(bea, ada)
    await past.run()
    rows = await graph.database.fetch(
        _ask(
            "MATCH (b:Mailbox) WHERE b.address IN $a RETURN b.modseq AS modseq, b.floor AS floor, b.uidNext AS next"
            " ORDER BY modseq"
        ),
        {"a": [ada, bea]},
    )
    assert rows == [{"modseq": 0, "floor": None, "next": 1}, {"modseq": 3, "floor": 3, "next": 3}]


async def test_a_run_that_is_bounded_says_whether_more_is_left(
    graph: Graph, agents: Agents, past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a killed run did is whole batches, after which the graph is consistent (LESSONS 19)."""
    monkeypatch.setattr(retention, "BATCH_MESSAGES", 2)
    ada, bea = await agents("ada", "bea")
    ids = [await past.send(ada, bea)]
    for sender in (bea, ada, bea, ada):
        ids.append(await past.reply(sender, ids[-1]))
    dry = await past.run(dry=True, batches=1)
    assert (dry.messages, dry.has_more) == (2, True)
    for left in (3, 1):
        report = await past.run(batches=1)
        assert (report.messages, report.has_more) == (2, True)
        await _consistent(graph, ada, bea)
        assert len(await _ids(agents, ada)) + len(await _ids(agents, bea)) == left
    report = await past.run(batches=1)
    assert (report.messages, report.has_more, report.tombstones) == (1, False, 0)
    await _consistent(graph, ada, bea)


async def _consistent(graph: Graph, *handles: str) -> None:
    rows = await graph.database.fetch(
        _ask(
            "MATCH (b:Mailbox) WHERE b.address IN $handles RETURN b.unreadCount ="
            " COUNT { (b)<-[d:DELIVERED_TO]-() WHERE d.unread AND d.folder = 'INBOX' } AS exact,"
            " COUNT { (b)<-[f:FILED_UNDER]-(m) WHERE NOT EXISTS { (m)-[:DELIVERED_TO]->(b) } } AS strays"
        ),
        {"handles": list(handles)},
    )
    assert rows == [{"exact": True, "strays": 0}] * len(handles)
    rows = await graph.database.fetch(
        _ask(
            "MATCH (a:AgentIdentity)<-[:SENT_BY]-()-[:PART_OF_THREAD]->(t) WHERE a.handle IN $handles"
            " RETURN DISTINCT t.messageCount = COUNT { (t)<-[:PART_OF_THREAD]-(m WHERE m.expungedAt IS NULL) } AS exact"
        ),
        {"handles": list(handles)},
    )
    assert {row["exact"] for row in rows} <= {True}


async def test_a_mailbox_keeps_its_newest_and_a_message_goes_with_its_last_entry(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    shared = await agents.send(cy, ada, bea, tags=("tide",))
    alone = await agents.send(cy, ada, tags=("tide",))
    answer = await agents.reply(ada, alone)
    ids = [await agents.send(cy, ada) for _ in range(3)]
    await agents.read(ada, shared)
    batches = _Kept(graph, 3)
    counted, done = await batches.run(ada, dry=True), await batches.run(ada)
    assert _figures(counted) == _figures(done)
    assert (done.messages, done.entries, done.mailboxes, done.tombstones) == (1, 2, 1, 1)
    assert await _ids(agents, ada) == ids[::-1]
    assert (await agents.inbox(ada)).unread_count == 3
    assert await _ids(agents, bea) == [shared]
    assert await _sent(graph, cy) == [*ids[::-1], shared]
    thread = await thread_of(graph.database, Reader.alone(cy), answer)
    assert thread is not None
    assert [(place.depth, place.message) for place in await agents.thread(cy, thread)] == [(0, None), (1, answer)]
    await _consistent(graph, ada, bea, cy)
    assert (await batches.run(ada)).entries == 0


class _Kept:
    """A policy by count on the mailboxes of one test alone: other tests' mailboxes keep what they have."""

    def __init__(self, graph: Graph, keep: int) -> None:
        self.graph, self.keep = graph, keep

    async def run(self, *mailboxes: str, dry: bool = False) -> RetentionReport:
        policy = Policy(None, self.keep, ())
        database = _Only(self.graph.database, mailboxes)
        return await apply_retention(database, self.graph.clock, policy, dry_run=dry)  # type: ignore[arg-type]


class _Only:
    """The database, of which only some mailboxes are ever full."""

    def __init__(self, database: Database, mailboxes: Sequence[str]) -> None:
        self._database, self._mailboxes = database, mailboxes

    async def fetch(self, query: Query, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        rows = await self._database.fetch(query, parameters)
        return [row for row in rows if row["address"] in self._mailboxes] if query is retention.FULL else rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


async def test_senders_are_not_disturbed(
    graph: Graph, agents: Agents, past: Past, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight senders, among them some who answer what is being deleted: nothing is tried again, every count is exact."""
    monkeypatch.setattr(retention, "BATCH_MESSAGES", 10)
    handles = await agents(*(f"s{number}" for number in range(8)))
    old = [
        await past.send(handles[n % 8], handles[(n + 1) % 8], handles[(n + 3) % 8], tags=("tide",)) for n in range(160)
    ]

    async def sender(number: int) -> int:
        answered = 0
        for step in range(20):
            await agents.send(handles[number], handles[(number + step) % 8], tags=("tide",))
            answered += await _answer(agents, handles[(number + 1) % 8], old[number + 8 * step])
        return answered

    runs, _ = await asyncio.gather(
        asyncio.gather(past.run(), past.run()), asyncio.gather(*(sender(number) for number in range(8)))
    )
    assert "tried again" not in caplog.text
    assert sum(run.messages for run in runs) == 160
    await _consistent(graph, *handles)
    for handle in handles:
        page = await agents.inbox(handle)
        assert page.unread_count == len([entry for entry in await agents.entries(handle) if entry.unread])
    await past.run()
    rows = await graph.database.fetch(
        _ask(
            "MATCH (m:Message) WHERE m.expungedAt IS NOT NULL AND m.id IN $ids"
            " RETURN COUNT { (m)<-[:IN_REPLY_TO]-() } AS replies"
        ),
        {"ids": old},
    )
    assert all(row["replies"] == 1 for row in rows)


async def _answer(agents: Agents, sender: str, parent: str) -> int:
    try:
        await agents.reply(sender, parent)
    except Refused:
        return 0
    return 1
