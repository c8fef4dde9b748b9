"""Whatever agents do in whatever order, counters, lists, tag index and threads agree (DESIGN §2, §3.4, §3.8, §6).

Each example is a short story of three new agents. A model as simple as a set follows it, and the graph is held to both:
to the model, and to itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j.time import DateTime

from graph.handovers import accept_handovers, handovers, return_handovers
from graph.mailbox import InboxFilter
from graph.queries import Query
from graph.readers import Reader
from graph.records import Delivery
from graph.retracting import retract
from graph.rules.addresses import EVERYONE
from graph.rules.drafts import NEW_THREAD
from graph.rules.marking import Mark
from graph.rules.tags import HANDOVER_TAG
from tests.soak.audit import faults, mailbox_audit
from tests.support import Agents, Fields

AGENTS = 3
agent = st.integers(0, AGENTS - 1)
#: Which of the things there are; taken modulo their number.
which = st.integers(0, 1000)
tags = st.sets(st.sampled_from(["tide", "log", "watch"])).map(lambda chosen: tuple(sorted(chosen)))
operations = st.one_of(
    st.tuples(st.just("send"), agent, st.sets(agent, min_size=1).map(sorted), tags),
    st.tuples(st.just("broadcast"), agent, tags),
    st.tuples(st.just("reply"), agent, which, st.booleans(), tags),
    st.tuples(st.just("read"), agent, st.lists(which, min_size=1, max_size=4)),
    st.tuples(st.just("mark"), agent, st.sampled_from(Mark), st.lists(which, min_size=1, max_size=4)),
    st.tuples(st.just("retract"), which),
    st.tuples(st.just("tag"), agent, st.lists(which, min_size=1, max_size=4), tags, tags),
    st.tuples(st.just("hand_over"), agent, which),
    st.tuples(st.just("accept"), agent, which),
    st.tuples(st.just("give_back"), agent, which),
)
SESSIONS = 3
READ = Query(
    "test/read",
    """
    MATCH (m)-[d:DELIVERED_TO]->(:Mailbox) WHERE d.mailbox IN $mailboxes AND d.readAt IS NOT NULL
    RETURN d.mailbox AS mailbox, m.id AS message, d.readAt AS readAt
    """,
)


@dataclass
class Story:
    """What happened so far, and what must be true now."""

    agents: Agents
    handles: tuple[str, ...]
    entries: dict[str, list[str]] = field(default_factory=dict)
    unread: dict[str, set[str]] = field(default_factory=dict)
    archived: dict[str, set[str]] = field(default_factory=dict)
    authors: dict[str, str] = field(default_factory=dict)
    retracted: set[str] = field(default_factory=set)
    stack: dict[str, list[str]] = field(default_factory=dict)
    held: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    first_read: dict[tuple[str, str], DateTime] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    own_tags: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def delivered(self, author: str, message: str, recipients: Iterable[str]) -> None:
        self.authors[message] = author
        for recipient in recipients:
            self.entries.setdefault(recipient, []).append(message)
            self.unread.setdefault(recipient, set()).add(message)

    async def send(self, sender: int, to: list[int], tags: tuple[str, ...]) -> None:
        recipients = [self.handles[each] for each in to]
        author = self.handles[sender]
        self.delivered(author, await self.agents.send(author, *recipients, tags=tags), recipients)

    async def broadcast(self, sender: int, tags: tuple[str, ...]) -> None:
        author = self.handles[sender]
        message = await self.agents.send(author, EVERYONE, tags=tags)
        self.delivered(author, message, [handle for handle in self.handles if handle != author])

    async def reply(self, sender: int, which: int, fork: bool, tags: tuple[str, ...]) -> None:
        author = self.handles[sender]
        if received := self.entries.get(author):
            parent, everybody = received[which % len(received)], self.handles
            said: Fields = {"in_reply_to": parent, "tags": tags}
            if fork:
                said["thread"] = NEW_THREAD
            answer = await self.agents.send(author, *everybody, **said)
            self.delivered(author, answer, everybody)
            self.parents[answer] = parent

    async def read(self, reader: int, which: list[int]) -> None:
        owner = self.handles[reader]
        if received := self.entries.get(owner):
            chosen = [received[each % len(received)] for each in which]
            await self.agents.read(owner, *chosen)
            self.unread[owner] -= set(chosen)

    async def tag(self, owner: int, which: list[int], add: tuple[str, ...], remove: tuple[str, ...]) -> None:
        mailbox, remove = self.handles[owner], tuple(tag for tag in remove if tag not in add)
        if (received := self.entries.get(mailbox)) and (add or remove):
            chosen = {received[each % len(received)] for each in which}
            tagged = await self.agents.tag(mailbox, *chosen, add=add, remove=remove)
            for message in chosen:
                entry = tagged.results[message]
                assert isinstance(entry, Delivery)
                before = self.own_tags.get((mailbox, message), set(entry.message.tags))
                self.own_tags[mailbox, message] = (before - set(remove)) | set(add)

    async def mark(self, reader: int, how: Mark, which: list[int]) -> None:
        owner = self.handles[reader]
        if received := self.entries.get(owner):
            chosen = {received[each % len(received)] for each in which}
            await self.agents.mark(owner, how, *chosen)
            marks = self.unread if how in (Mark.READ, Mark.UNREAD) else self.archived
            if how in (Mark.UNREAD, Mark.ARCHIVE):
                marks.setdefault(owner, set()).update(chosen)
            else:
                marks.setdefault(owner, set()).difference_update(chosen)

    async def retract(self, which: int) -> None:
        if self.authors:
            message = list(self.authors)[which % len(self.authors)]
            graph, author = self.agents.graph, self.authors[message]
            await retract(graph.database, graph.clock, Reader.alone(author), message)
            self.retracted.add(message)

    async def hand_over(self, author: int, session: int) -> None:
        owner = self.handles[author]
        message = await self.agents.hand_over(owner, f"old-{session % SESSIONS}")
        self.delivered(owner, message, [owner])
        self.stack.setdefault(owner, []).append(message)

    async def accept(self, heir: int, session: int) -> None:
        owner, named, graph = self.handles[heir], f"new-{session % SESSIONS}", self.agents.graph
        accepted = await accept_handovers(graph.database, graph.clock, owner, named, None, graph.limits)
        # Whoever holds some already is told of those again, and takes no others.
        taken = self.held.get((owner, named)) or self.stack.pop(owner, [])
        assert [card.message for card in accepted.handovers] == taken
        self.held[owner, named] = taken
        self.unread.setdefault(owner, set()).difference_update(taken)

    async def give_back(self, heir: int, session: int) -> None:
        owner, named, graph = self.handles[heir], f"new-{session % SESSIONS}", self.agents.graph
        if (owner, named) in self.held:
            returned = await return_handovers(graph.database, owner, named, None, graph.limits)
            given = self.held.pop((owner, named))
            assert [card.message for card in returned] == given
            order = self.entries.get(owner, [])
            self.stack[owner] = sorted(self.stack.get(owner, []) + given, key=order.index)

    async def check(self) -> None:
        database = self.agents.graph.database
        assert await faults(database, self.handles) == []
        for owner in self.handles:
            box = await mailbox_audit(database, owner)
            assert box.messages == self.entries.get(owner, [])
            archived = self.archived.get(owner, set())
            assert box.unread == self.unread.get(owner, set()) - archived
            assert box.archived == archived
            every = (await self.agents.inbox(owner, InboxFilter(include_archived=True))).page.items
            assert [entry.message.id for entry in reversed(every)] == box.messages
            assert {entry.message.id for entry in every if entry.message.retracted} == self.retracted & set(
                box.messages
            )
            assert all((entry.message.subject == "") is entry.message.retracted for entry in every)
            listed = (await self.agents.inbox(owner, InboxFilter(unread=True))).page.items
            assert {entry.message.id for entry in listed} == box.unread
            pending = (await handovers(database, owner, 100, None)).items
            assert [card.message for card in pending] == self.stack.get(owner, [])
            for tag in ("tide", "log", "watch", HANDOVER_TAG):
                tagged = (await self.agents.inbox(owner, InboxFilter(tags=(tag,)))).page.items
                assert {e.message.id for e in tagged} == {
                    e.message for e in box.entries if tag in e.tags and e.message not in archived
                }
            for entry in await self.agents.entries(owner):
                own = self.own_tags.get((owner, entry.message.id), set(entry.message.tags))
                assert set(entry.tags) == own
            await self._check_threads(owner)

    async def keep_first_reads(self) -> None:
        for row in await self.agents.graph.database.fetch(READ, {"mailboxes": self.handles}):
            assert self.first_read.setdefault((row["mailbox"], row["message"]), row["readAt"]) == row["readAt"]

    async def _check_threads(self, owner: str) -> None:
        entries = await self.agents.entries(owner)
        rows = {thread: await self.agents.thread(owner, thread) for thread in {e.message.thread for e in entries}}
        places = [place for thread in rows.values() for place in thread if place.message is not None]
        assert len({place.message for place in places}) == len(places), "a message is in one thread, once"
        for thread in rows.values():
            for place in thread:
                assert place.parent is None or self.parents[place.message or ""] == place.parent


@given(story=st.lists(operations, min_size=4, max_size=12))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_counters_lists_tag_index_and_threads_agree(story: list[tuple[Any, ...]], agents: Agents) -> None:
    happening = Story(agents, await agents(*(f"actor{number}" for number in range(AGENTS))))
    for name, *arguments in story:
        await getattr(happening, name)(*arguments)
        await happening.keep_first_reads()
    await happening.check()
