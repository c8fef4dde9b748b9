"""Threads in the API: rebuilt in causal order, for whoever asks."""

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.identities import AgentIdentity
from api.schema.messages import Message, load_message
from api.schema.nodes import NOTICE, Node
from graph.ids import Prefix, prefix_of
from graph.rules.threads import Place
from graph.threads import thread_of, thread_page


@strawberry.type(description="One row of a thread: a message, or a gap that keeps its place.")
class ThreadMessage:
    """A row of a thread."""

    depth: int = strawberry.field(description="0 for a root; a reply is one deeper than what it answers.")
    parent: strawberry.ID | None = strawberry.field(
        description="The message it answers; null at a root or below a gap."
    )
    hidden: bool = strawberry.field(description="A gap: a message that never arrived, or that is not yours to see.")
    message_id: strawberry.Private[str | None]

    @strawberry.field(description="The message; null in a gap.")
    async def message(self, info: Info) -> Message | None:
        """Return the message of the row."""
        return None if self.message_id is None else await load_message(info, self.message_id)


@strawberry.type
class ThreadMessageEdge:
    """A row and its place in the thread."""

    cursor: str
    node: ThreadMessage


@strawberry.type(description="A page of a thread, parents before children.")
class ThreadMessageConnection:
    """A page of rows."""

    edges: list[ThreadMessageEdge]
    page_info: PageInfo
    total_count: int = strawberry.field(description="How many rows the thread has for you, gaps included.")

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type(description="A conversation, as far as you may see it.")
class Thread(Node):
    """A thread of which the caller sees at least one message."""

    @strawberry.field(description="The subject of the oldest message that you may see.")
    async def subject(self, info: Info) -> str:
        """Return the subject."""
        card = await info.context.loaders.thread.load(self.id)
        return "" if card is None else card.subject

    @strawberry.field(description="How many messages of it you may see.")
    async def message_count(self, info: Info) -> int:
        """Return the number of messages."""
        return await info.context.loaders.message_count.load(self.id) or 0

    @strawberry.field(description="Who sent, or was named in, the messages that you may see.")
    async def participants(self, info: Info) -> list[AgentIdentity]:
        """Return the participants, by handle."""
        return [AgentIdentity.known_as(h) for h in await info.context.loaders.participants.load(self.id) or []]

    @strawberry.field(description="The messages in causal order, siblings by time.")
    async def messages(self, info: Info, first: First = 20, after: After = None) -> ThreadMessageConnection:
        """Return a page of the rebuilt thread."""
        scope = f"thread:{self.id}"
        key = decode_cursor(scope, after, str, int)
        position = None if key is None else (str(key[0]), int(key[1]))
        places = await info.context.loaders.thread_rows.load(self.id) or []
        page = thread_page(places, check_first(first, info.context.limits), position)
        cursors = [encode_cursor(scope, place.anchor, place.above) for place in page.items]
        return ThreadMessageConnection(
            edges=[
                ThreadMessageEdge(cursor=cursor, node=_row(place))
                for place, cursor in zip(page.items, cursors, strict=True)
            ],
            page_info=page_info(cursors, has_next=page.has_next, after=after),
            total_count=len(places),
        )

    @strawberry.field(
        description="The message of another thread that this one forked off; null when you may not see it."
    )
    async def forked_from(self, info: Info) -> Message | None:
        """Return where the thread forked off."""
        forks = await info.context.loaders.forks.load(self.id)
        return None if forks is None or forks.origin is None else await load_message(info, forks.origin)

    @strawberry.field(description="The threads that forked off this one, as far as you take part in them.")
    async def forks(self, info: Info) -> list["Thread"]:
        """Return the forks."""
        forks = await info.context.loaders.forks.load(self.id)
        return [Thread(id=strawberry.ID(id_)) for id_ in (() if forks is None else forks.threads)]


def _row(place: Place) -> ThreadMessage:
    return ThreadMessage(
        depth=place.depth,
        parent=None if place.parent is None else strawberry.ID(place.parent),
        hidden=place.hidden,
        message_id=place.message,
    )


async def load_thread(info: Info, named: str) -> Thread | None:
    """Return the thread by its id or any member message's; None when the caller sees nothing of it."""
    reader = info.context.reader
    match prefix_of(named):
        case Prefix.THREAD:
            # The same card answers the thread's subject afterwards.
            thread = named if await info.context.loaders.thread.load(named) else None
        case Prefix.MESSAGE:
            thread = await thread_of(info.context.graph.database, reader, named)
        case _:
            thread = None
    return None if thread is None else Thread(id=strawberry.ID(thread))


@strawberry.type
class ThreadQuery:
    """Queries of threads."""

    @strawberry.field(description="A thread, by its own id or any member message's; null when you see nothing of it.")
    async def thread(self, info: Info, id: strawberry.ID) -> Thread | None:  # noqa: A002 - the contract's name
        """Return a thread."""
        return await load_thread(info, id)
