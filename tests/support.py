"""What tests share: identities of their own on the shared graph, and the database's own account of a query."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypedDict, Unpack

from graph.bootstrap import Graph
from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.handovers import HandoverInput, write_handover
from graph.identities import IdentityKind, NewIdentity, register
from graph.mailbox import Inbox, InboxFilter, inbox
from graph.marking import Marked, mark, mark_read
from graph.memories import MemoryInput, remember
from graph.queries import Query
from graph.readers import Reader
from graph.records import Delivery
from graph.rules.drafts import MessageInput, Priority
from graph.rules.marking import Mark
from graph.rules.tasks import TaskRequest, TaskState
from graph.rules.threads import Place
from graph.sending import Sent, send_message
from graph.tagging import Tagged, tag
from graph.tasks import TaskCard, tasks_of_messages, transition_task
from graph.threads import rebuilt


class Fields(TypedDict, total=False):
    """What a test may say of a message besides who writes to whom."""

    subject: str
    body_text: str
    cc: tuple[str, ...]
    in_reply_to: str
    thread: str
    tags: tuple[str, ...]
    priority: Priority
    expects_reply: bool
    origin_session: str
    related_sessions: tuple[str, ...]
    tickets: tuple[str, ...]
    memories: tuple[str, ...]
    task: TaskRequest
    idempotency_key: str


class Moves(TypedDict, total=False):
    """What a test may say of a transition besides who moves what where."""

    expected: TaskState
    note: str
    clock: Clock


def message(*to: str, **said: Unpack[Fields]) -> MessageInput:
    """Return a message to these addresses (to none: a reply to whoever is answered) with a subject and a body."""
    fields: Fields = {"subject": "Tide tables", "body_text": "High water at six.", **said}
    return MessageInput(to=to or None, **fields)


@dataclass(frozen=True)
class _Ago:
    """A clock that is slow by ``age``."""

    clock: Clock
    age: timedelta

    def now(self) -> datetime:
        """Return the time that it was then."""
        return self.clock.now() - self.age


@dataclass(frozen=True)
class Agents:
    """The use cases of the shared graph, told by short calls, and identities that no other test has.

    A broadcast reaches the identities of all earlier tests too; look only at mailboxes of your own.
    """

    graph: Graph

    def ago(self, age: timedelta) -> "Agents":
        """Return the same use cases as they were so long ago: what they send now is as old."""
        return Agents(replace(self.graph, clock=_Ago(self.graph.clock, age)))

    async def __call__(self, *names: str, kind: IdentityKind = IdentityKind.AGENT) -> tuple[str, ...]:
        """Register an identity for each name and return the handles, such as ``@ada-3f9c21``, in the same order."""
        suffix = secrets.token_hex(3)
        handles = tuple(f"@{name}-{suffix}" for name in names)
        for handle in handles:
            new = NewIdentity(handle, kind=kind)
            await register(self.graph.database, self.graph.clock, new, self.graph.limits)
        return handles

    async def submit(self, sender: str, said: MessageInput) -> Sent:
        """Send a message and return the acknowledgement."""
        return await send_message(self.graph.committer, self.graph.clock, sender, said, self.graph.limits)

    async def send(self, sender: str, *to: str, **said: Unpack[Fields]) -> str:
        """Send a message and return its id."""
        return (await self.submit(sender, message(*to, **said))).message

    async def reply(self, sender: str, parent: str, **said: Unpack[Fields]) -> str:
        """Answer a message or a memory, to whoever wrote it, and return the answer's id."""
        answer: Fields = {**said, "in_reply_to": parent}
        return await self.send(sender, **answer)

    async def inbox(
        self, reader: str, chosen: InboxFilter | None = None, *, first: int = 100, before: int | None = None
    ) -> Inbox:
        """Return a page of the reader's own inbox, newest first."""
        return await inbox(self.graph.database, reader, chosen or InboxFilter(), first, before)

    async def entries(self, reader: str) -> list[Delivery]:
        """Return every entry of the reader's inbox, newest first."""
        found: list[Delivery] = []
        page = (await self.inbox(reader)).page
        found += page.items
        while page.has_next:
            page = (await self.inbox(reader, before=page.end)).page
            found += page.items
        return found

    async def read(self, reader: str, *ids: str) -> Marked:
        """Mark the reader's entries of these messages as read."""
        return await mark_read(self.graph.database, self.graph.clock, reader, ids)

    async def tag(self, reader: str, *ids: str, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> Tagged:
        """Add and remove the reader's own tags on his entries of these messages."""
        return await tag(self.graph.database, self.graph.clock, reader, ids, add, remove, self.graph.limits)

    async def mark(self, reader: str, how: Mark, *ids: str) -> Marked:
        """Mark the reader's entries of these messages."""
        return await mark(self.graph.database, self.graph.clock, reader, how, ids)

    async def thread(self, reader: str, thread: str) -> Sequence[Place]:
        """Return the rows of a thread, by the thread's id, as the reader sees them."""
        return (await rebuilt(self.graph.database, Reader.alone(reader), [thread]))[thread].places

    async def remember(
        self, agent: str, text: str = "The tide turns at noon.", session: str | None = None, tags: tuple[str, ...] = ()
    ) -> str:
        """Keep a memory and return its id."""
        said = MemoryInput(text, session, tags)
        return await remember(self.graph.database, self.graph.clock, agent, said, self.graph.limits)

    async def task(self, sender: str, *to: str, lasts: timedelta | None = None, **said: Unpack[Fields]) -> str:
        """Send a message that carries a task, which expires after a time, and return the task's id."""
        said["task"] = TaskRequest(None if lasts is None else self.graph.clock.now() + lasts)
        sent = await self.send(sender, *to, **said)
        return (await tasks_of_messages(self.graph.database, [sent]))[sent].id

    async def move(self, who: str, task: str, *to: TaskState, **said: Unpack[Moves]) -> TaskCard:
        """Take a task through these states, one after the other, and return it as it is then."""
        moves: Moves = {"clock": self.graph.clock, **said}
        clock, expected, note = moves["clock"], moves.get("expected"), moves.get("note")
        reader, graph = Reader.alone(who), self.graph
        moved = [
            await transition_task(
                graph.database, clock, reader, task, state, graph.limits, expected=expected, note=note
            )
            for state in to
        ]
        return moved[-1]

    async def hand_over(self, agent: str, session: str, text: str = "Read the log first.") -> str:
        """Write a handover from a session of the agent and return the message's id."""
        said = HandoverInput(session, text)
        return (await write_handover(self.graph.committer, self.graph.clock, agent, said, self.graph.limits)).message


@dataclass(frozen=True)
class Step:
    """One operator of a plan that was run: what it did to what, its database hits, and the rows that left it."""

    operator: str
    details: str
    hits: int
    rows: int


@dataclass(frozen=True)
class Profile:
    """What a query answered, and what the database did for it."""

    rows: list[Row]
    steps: tuple[Step, ...]

    @property
    def hits(self) -> int:
        """All database hits."""
        return sum(step.hits for step in self.steps)

    def __str__(self) -> str:
        """Return the plan as lines that a failing test can show."""
        lines = [f"{step.hits:7} hits {step.rows:7} rows  {step.operator}  {step.details}" for step in self.steps]
        return "\n".join([f"{self.hits} hits in all", *lines])


async def profiled(database: Database, query: Query, parameters: dict[str, Any], *, writing: bool = False) -> Profile:
    """Run a query under PROFILE and return its rows and its plan, each operator before those that feed it."""

    async def work(tx: Transaction) -> Profile:
        result = await tx._transaction.run(f"PROFILE\n{query.text}", parameters)
        rows = await result.data()
        plan = (await result.consume()).profile
        assert plan is not None
        return Profile(rows, tuple(_steps(plan)))

    return await (database.write(work) if writing else database.read(work))


def _steps(plan: dict[str, Any]) -> Iterator[Step]:
    yield Step(
        plan["operatorType"].partition("@")[0],
        plan["args"].get("Details", ""),
        plan.get("dbHits", 0),
        plan.get("rows", 0),
    )
    for child in plan.get("children", ()):
        yield from _steps(child)
