"""The list of one's threads: exact order, whole pages, bounded scans (issue 5, threads; decision 0016)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph import migrations, threadlists
from graph.bootstrap import Graph
from graph.concepts import filed_names
from graph.database import Transaction
from graph.migrations import _run
from graph.queries import Query
from graph.readers import Reader
from graph.rules.limits import THREAD_MEMBERS
from graph.threadlists import ThreadFilter, threads
from graph.threads import awaited_replies, rebuilt, spans, thread_of
from tests.crowd import Ticking, bulk
from tests.support import Agents, message

STRIP = Query("test/strip", "MATCH (m)-[r:IN_REPLY_TO]->() WHERE m.id IN $ids REMOVE r.parent, r.messageId")
EDGES = Query(
    "test/edges",
    "MATCH (m)-[r:IN_REPLY_TO]->(x) WHERE m.id IN $ids RETURN m.id AS id, x.id AS to, properties(r) AS properties"
    " ORDER BY id",
)


async def listed(
    graph: Graph, reader: Reader | str, chosen: ThreadFilter | None = None, *, first: int = 100
) -> list[str]:
    """Return all threads of a list, page by page."""
    caller = Reader.alone(reader) if isinstance(reader, str) else reader
    found: list[str] = []
    before, more = None, True
    while more:
        page = await threads(graph.database, caller, chosen or ThreadFilter(), first, before, THREAD_MEMBERS)
        found += [one.id for one in page.items]
        before, more = page.end, page.has_next
    assert len(found) == len(set(found)), "a thread is listed once"
    return found


async def thread(graph: Graph, reader: str, of: str) -> str:
    """Return the thread of a message."""
    found = await thread_of(graph.database, Reader.alone(reader), of)
    assert found is not None
    return found


async def test_threads_come_by_their_newest_message_that_one_sees(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    first, second, third = [await agents.send(ada, bea, cc=(cy,)) for _ in range(3)]
    own = await agents.send(bea, bea)
    threads_of = [await thread(graph, bea, one) for one in (first, second, third, own)]
    a, b, c, d = threads_of
    assert await listed(graph, bea) == [d, c, b, a]
    # What one sends moves a thread up for oneself; for others, what they got.
    aside = await agents.reply(bea, first)
    assert await listed(graph, bea) == [a, d, c, b]
    assert await listed(graph, cy) == [c, b, a]
    assert await listed(graph, ada) == [a, c, b]
    await agents.send(ada, cy, in_reply_to=second)
    assert await listed(graph, bea) == [a, d, c, b]
    assert await listed(graph, cy) == [b, c, a]
    span = (await spans(graph.database, Reader.alone(cy), [a]))[a]
    assert span.messages == 1
    assert await thread_of(graph.database, Reader.alone(cy), aside) is None
    # A mailbox that was granted counts like one's own; what its owner sent is not in it.
    assert await listed(graph, Reader(cy, (cy, bea))) == [b, d, c, a]


@pytest.mark.parametrize("first", [1, 2, 3])
async def test_pages_add_up_while_mail_arrives(graph: Graph, agents: Agents, first: int) -> None:
    """A thread that mail comes to moves to the top, and no other is missed or listed twice."""
    ada, bea = await agents("ada", "bea")
    sent = [await agents.send(ada, bea) for _ in range(7)]
    expected = [await thread(graph, bea, one) for one in sent][::-1]
    found: list[str] = []
    before, more, caller = None, True, Reader.alone(bea)
    while more:
        page = await threads(graph.database, caller, ThreadFilter(), first, before, THREAD_MEMBERS)
        found += [one.id for one in page.items]
        before, more = page.end, page.has_next
        await agents.reply(bea, sent[-1])
        await agents.send(ada, bea)
    assert found == expected


async def test_filters_go_by_what_one_sees(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    past = agents.ago(timedelta(hours=2))
    old = await past.send(ada, bea, tags=("tide", "log"))
    asked = await agents.send(ada, bea, expects_reply=True)
    with_cy = await agents.send(bea, cy, tags=("tide",))
    a, b, c = [await thread(graph, bea, one) for one in (old, asked, with_cy)]
    assert await listed(graph, bea, ThreadFilter(participant=ada)) == [b, a]
    assert await listed(graph, bea, ThreadFilter(participant=cy)) == [c]
    assert await listed(graph, bea, ThreadFilter(participant="@nobody-here")) == []
    assert await listed(graph, bea, ThreadFilter(tags=("tide",))) == [c, a]
    assert await listed(graph, bea, ThreadFilter(tags=("tide", "log"))) == [a]
    assert await listed(graph, bea, ThreadFilter(tags=("tide",), participant=cy)) == [c]
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    assert await listed(graph, bea, ThreadFilter(active_since=hour_ago)) == [c, b]
    assert await listed(graph, bea, ThreadFilter(awaiting_me=True)) == [b]
    assert await listed(graph, ada, ThreadFilter(awaiting_me=True)) == []
    # One's own tags are those that count, where the message is in one's mailbox.
    await agents.tag(bea, asked, add=("mine",))
    await agents.tag(bea, old, remove=("log",))
    assert await listed(graph, bea, ThreadFilter(tags=("mine",))) == [b]
    assert await listed(graph, bea, ThreadFilter(tags=("log",))) == []
    assert await listed(graph, ada, ThreadFilter(tags=("log",))) == [a]
    # An answer of others is none of hers; an answer that forked off is one.
    await agents.send(ada, cy, in_reply_to=asked)
    assert await listed(graph, bea, ThreadFilter(awaiting_me=True)) == [b]
    await agents.reply(bea, asked, thread="new")
    assert await listed(graph, bea, ThreadFilter(awaiting_me=True)) == []


async def test_a_hidden_answer_answers_nothing(graph: Graph, agents: Agents) -> None:
    """DESIGN §3.10: whether somebody answered behind one's back cannot be told from who is waited for."""
    ada, bea, cy = await agents("ada", "bea", "cy")
    question = await agents.send(ada, bea, cy, expects_reply=True)
    await agents.send(bea, ada, in_reply_to=question)
    of = await thread(graph, ada, question)

    async def waited_for(reader: Reader) -> list[str]:
        found = await awaited_replies(graph.database, reader, await rebuilt(graph.database, reader, [of]))
        return [one.agent for one in found[of]]

    assert await waited_for(Reader.alone(ada)) == [cy]
    assert await waited_for(Reader.alone(cy)) == sorted([bea, cy])
    assert await waited_for(replace(Reader.alone(cy), everything=True)) == [cy]


async def test_an_analyst_sees_all_of_a_thread_and_lists_every_one(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    root = await agents.send(ada, bea)
    await agents.reply(bea, root)
    of = await thread(graph, ada, root)
    analyst = Reader(cy, (cy,), everything=True)
    assert (await spans(graph.database, analyst, [of]))[of].messages == 2
    assert not [place for place in (await rebuilt(graph.database, analyst, [of]))[of].places if place.hidden]
    page = await threads(graph.database, analyst, ThreadFilter(participant=ada), 5, None, THREAD_MEMBERS)
    assert [item.id for item in page.items] == [of]
    assert await listed(graph, cy) == []


async def test_what_is_open_and_what_one_waits_for(graph: Graph, agents: Agents) -> None:
    """Issue 5, point 5: decision 0016 says who is waited for; here it picks threads."""
    ada, bea, cy = await agents("ada", "bea", "cy")
    to_bea = await agents.send(ada, bea, expects_reply=True)
    of_bea = await agents.send(bea, ada, expects_reply=True)
    both = await agents.send(cy, ada, bea, expects_reply=True)
    await agents.send(ada, bea)
    a, b, c = [await thread(graph, ada, one) for one in (to_bea, of_bea, both)]
    assert await listed(graph, ada, ThreadFilter(open=True)) == [c, b, a]
    assert await listed(graph, ada, ThreadFilter(awaited_by_me=True)) == [a]
    assert await listed(graph, ada, ThreadFilter(awaiting_me=True)) == [c, b]
    assert await listed(graph, ada, ThreadFilter(awaiting_me=True, awaited_by_me=True)) == []
    # Ada asks in the thread of cy too, whom bea owed an answer before.
    asked = await agents.send(ada, bea, cy, in_reply_to=both, expects_reply=True)
    assert await listed(graph, ada, ThreadFilter(awaited_by_me=True)) == [c, a]
    assert await listed(graph, ada, ThreadFilter(awaiting_me=True, awaited_by_me=True)) == []
    rows = await rebuilt(graph.database, Reader.alone(ada), [c])
    assert {one.agent: one.message for one in (await awaited_replies(graph.database, Reader.alone(ada), rows))[c]} == {
        bea: both,
        cy: asked,
    }
    mine = (await awaited_replies(graph.database, Reader.alone(ada), rows, ada))[c]
    assert {one.agent: one.message for one in mine} == {bea: asked, cy: asked}
    for one in (to_bea, asked):
        await agents.reply(bea, one)
    await agents.reply(cy, asked)
    assert await listed(graph, ada, ThreadFilter(awaited_by_me=True)) == []
    assert await listed(graph, ada, ThreadFilter(open=True)) == [b]


async def test_a_thread_beyond_the_limit_is_cut_and_says_so(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    (root,) = await bulk(graph, Ticking(graph.clock.now()), ada, [message(bea)])
    replies = await bulk(graph, Ticking(graph.clock.now()), ada, [message(bea, in_reply_to=root.id)] * 9)
    for most, complete in ((10, True), (9, False), (3, False)):
        cut = (await rebuilt(graph.database, Reader.alone(bea), [root.thread], most))[root.thread]
        assert cut.complete is complete
        assert {place.message for place in cut.places} == {root.id, *(one.id for one in replies[: most - 1])}


async def test_a_filtered_page_stops_after_five_thousand(
    graph: Graph, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN §5: what a filter throws away is bounded; the page comes back short, and the next one goes on."""
    ada, bea = await agents("ada", "bea")
    wanted = await agents.send(ada, bea, tags=("rare",))
    others = await bulk(graph, Ticking(graph.clock.now() + timedelta(hours=2)), ada, [message(bea)] * 30)
    assert len({one.thread for one in others}) == 30
    monkeypatch.setattr(threadlists, "SCAN_MOST", 10)
    monkeypatch.setattr(threadlists, "_LOOKED_THROUGH", 4)
    caller, chosen = Reader.alone(bea), ThreadFilter(tags=("rare",))
    page = await threads(graph.database, caller, chosen, 20, None, THREAD_MEMBERS)
    assert page.items == ()
    assert page.has_next
    assert await listed(graph, bea, chosen) == [await thread(graph, bea, wanted)]
    assert await filed_names(graph.database, (), narrower=False) == []


async def test_replies_from_before_get_their_place(graph: Graph, agents: Agents) -> None:
    """Schema 9: edges from before get what the index sorts by, in batches, and once."""
    ada, bea = await agents("ada", "bea")
    root, memory = await agents.send(ada, bea), await agents.remember(bea)
    ids = [await agents.reply(bea, root), await agents.reply(bea, memory)]
    before = await graph.database.fetch(EDGES, {"ids": ids})
    assert [row["properties"] for row in before] == [
        {"parent": root, "messageId": ids[0]},
        {"parent": memory, "messageId": ids[1]},
    ]

    async def strip(tx: Transaction) -> None:
        await tx.run(STRIP, {"ids": ids})

    await graph.database.write(strip)
    (change,) = [migration for migration in migrations.migrations() if migration.name == "replies"]
    for _ in range(2):
        for statement in change.statements:
            await _run(graph.database, statement)
        assert await graph.database.fetch(EDGES, {"ids": ids}) == before


SENDS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.one_of(st.none(), st.integers(0, 20))), max_size=12)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sends=SENDS, first=st.integers(1, 3))
async def test_the_list_is_what_the_messages_say(
    graph: Graph, agents: Agents, sends: list[tuple[int, int, int | None]], first: int
) -> None:
    """For random correspondence of three, each list is that of the newest message that its reader sent or got."""
    people = await agents("ada", "bea", "cy")
    written: list[tuple[str, str, set[str]]] = []
    for author, to, answered in sends:
        sender, receiver = people[author], people[to]
        known = [one for one in written if sender in one[2]]
        parent = known[answered % len(known)][0] if known and answered is not None else None
        said = message(receiver) if parent is None else message(receiver, in_reply_to=parent)
        sent = await agents.submit(sender, said)
        written.append((sent.message, await thread(graph, sender, sent.message), {sender, receiver}))
    for reader in people:
        newest = {of: id_ for id_, of, seeing in sorted(written) if reader in seeing}
        expected = sorted(newest, key=lambda of: newest[of], reverse=True)
        assert await listed(graph, reader, first=first) == expected
