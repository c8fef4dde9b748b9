"""Tasks that messages carry, in the API: looking at them, and moving them on."""

from datetime import datetime

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.identities import AgentIdentity
from api.schema.inputs import said
from api.schema.messages import Message, load_message
from api.schema.nodes import NOTICE, Node
from api.schema.refusals import Refusal
from api.schema.scalars import TaskRole, TaskState
from graph import tasks as tasking
from graph.errors import Refused
from graph.ids import Prefix, is_id


@strawberry.type(description="One transition of a task. It never changes.")
class TaskEvent:
    """An event."""

    seq: int = strawberry.field(description="Counts from 1 in each task.")
    before: TaskState = strawberry.field(name="from")
    after: TaskState = strawberry.field(name="to")
    by: str = strawberry.field(description="A handle, or SYSTEM for the clock.")
    at: datetime
    note: str | None = strawberry.field(description="What whoever moved it said about it.")

    @classmethod
    def of(cls, event: tasking.TaskEvent) -> "TaskEvent":
        """Return the API's event."""
        return cls(seq=event.seq, before=event.before, after=event.after, by=event.by, at=event.at, note=event.note)


@strawberry.type
class TaskEventEdge:
    """An event and its place in the history."""

    cursor: str
    node: TaskEvent


@strawberry.type(description="A page of a task's history, oldest first.")
class TaskEventConnection:
    """A page of events."""

    edges: list[TaskEventEdge]
    page_info: PageInfo

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type(description="A task that a message carries; who may see the message may see it.")
class Task(Node):
    """A task."""

    state: TaskState
    assignee: AgentIdentity | None = strawberry.field(description="Whose it is to do; null until somebody claims it.")
    originator: AgentIdentity = strawberry.field(description="Whoever sent the message.")
    expires_at: datetime | None = strawberry.field(description="When the clock ends it, if nobody has by then.")
    created_at: datetime
    updated_at: datetime
    message_id: strawberry.Private[str]

    @classmethod
    def of(cls, card: tasking.TaskCard) -> "Task":
        """Return the API's task."""
        return cls(
            id=strawberry.ID(card.id),
            state=card.state,
            assignee=None if card.assignee is None else AgentIdentity.known_as(card.assignee),
            originator=AgentIdentity.known_as(card.originator),
            expires_at=card.expires_at,
            created_at=card.created_at,
            updated_at=card.updated_at,
            message_id=card.message,
        )

    @strawberry.field(description="The message that carries it.")
    async def message(self, info: Info) -> Message:
        """Return the message; who sees the task sees it."""
        found = await load_message(info, self.message_id)
        if found is None:
            raise LookupError(f"The task {self.id} has no message.")
        return found

    @strawberry.field(description="Its transitions, oldest first.")
    async def history(self, info: Info, first: First = 20, after: After = None) -> TaskEventConnection:
        """Return a page of its events."""
        scope = f"task:{self.id}"
        key = decode_cursor(scope, after, int)
        place = 0 if key is None else int(key[0])
        page = await info.context.loaders.task_events.load((self.id, check_first(first, info.context.limits), place))
        events = () if page is None else page.items
        cursors = [encode_cursor(scope, event.seq) for event in events]
        return TaskEventConnection(
            edges=[TaskEventEdge(cursor=c, node=TaskEvent.of(e)) for c, e in zip(cursors, events, strict=True)],
            page_info=page_info(cursors, has_next=page is not None and page.has_next, after=after),
        )


@strawberry.type
class TaskEdge:
    """A task and its place in the list."""

    cursor: str
    node: Task


@strawberry.type(description="A page of tasks, newest first.")
class TaskConnection:
    """A page of tasks."""

    edges: list[TaskEdge]
    page_info: PageInfo


@strawberry.input(description="Which of your tasks to list; states left out or empty means all.")
class TaskFilter:
    """A filter of tasks."""

    role: TaskRole | None = TaskRole.ASSIGNEE
    states: list[TaskState] | None = strawberry.UNSET


@strawberry.type(description="The task as it is now.")
class TransitionPayload:
    """The result of a transition."""

    task: Task | None = None
    refusal: Refusal | None = None


async def load_task(info: Info, task: str) -> Task | None:
    """Return the task of that id; None for one whose message the caller may not see."""
    card = await info.context.loaders.task.load(task)
    return None if card is None else Task.of(card)


@strawberry.type
class TaskQuery:
    """Queries of tasks."""

    @strawberry.field(description="One task; null when there is none, or none that you may see.")
    async def task(self, info: Info, id: strawberry.ID) -> Task | None:  # noqa: A002 - the contract's name
        """Return a task by its id."""
        info.context.identification.required()
        return await load_task(info, id) if is_id(id, Prefix.TASK) else None

    @strawberry.field(description="Your tasks, newest first: those to do, unless the filter says otherwise.")
    async def tasks(
        self,
        info: Info,
        filter: TaskFilter | None = strawberry.UNSET,  # noqa: A002 - the contract's name
        first: First = 20,
        after: After = None,
    ) -> TaskConnection:
        """Return a page of tasks."""
        reader, graph = info.context.reader, info.context.graph
        scope = f"tasks:{reader.handle}"
        key = decode_cursor(scope, after, str)
        chosen = filter or TaskFilter()
        page = await tasking.tasks(
            graph.database,
            reader,
            tasking.TaskFilter(chosen.role or TaskRole.ASSIGNEE, tuple(chosen.states or ())),
            check_first(first, info.context.limits),
            None if key is None else str(key[0]),
        )
        cursors = [encode_cursor(scope, card.id) for card in page.items]
        end = encode_cursor(scope, page.end) if page.has_next and page.end is not None else None
        return TaskConnection(
            edges=[TaskEdge(cursor=c, node=Task.of(card)) for c, card in zip(cursors, page.items, strict=True)],
            page_info=page_info(cursors, has_next=page.has_next, after=after, end=end),
        )


@strawberry.type
class TaskMutation:
    """Mutations of tasks."""

    @strawberry.mutation(
        description="Moves a task to another state, if you are the one who may; `expected` says from which."
    )
    async def transition_task(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002 - the contract's name
        to: TaskState,
        expected: TaskState | None = strawberry.UNSET,
        note: str | None = strawberry.UNSET,
    ) -> TransitionPayload:
        """Move a task."""
        graph, reader = info.context.graph, info.context.reader
        try:
            info.context.begin_mutation()
            card = await tasking.transition_task(
                graph.database,
                graph.clock,
                reader,
                id,
                to,
                graph.limits,
                expected=said(expected),
                note=said(note),
            )
        except Refused as refused:
            return TransitionPayload(refusal=Refusal.of(refused))
        return TransitionPayload(task=Task.of(card))
