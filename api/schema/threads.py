"""Threads in the API: rebuilt in causal order, for whoever asks."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.identities import AgentIdentity
from api.schema.inputs import said_address
from api.schema.memories import Memory, load_memory
from api.schema.messages import Message, MessageConnection, load_message
from api.schema.nodes import NOTICE, Node
from api.schema.scalars import Address
from api.schema.standing import AwaitedReply, ParticipationConnection, members_page, participation_page
from graph.ids import Prefix, prefix_of
from graph.rules.standing import heads, roots
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
    complete: bool = strawberry.field(
        description="Whether that is all of it: a thread is rebuilt from its oldest messages, limits.threadMembers."
    )

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
        span = await info.context.loaders.span.load(self.id)
        return 0 if span is None else span.messages

    @strawberry.field(description="The oldest message that you may see; null when nothing is left to see.")
    async def first_message(self, info: Info) -> Message | None:
        """Return the message that the thread begins with."""
        card = await info.context.loaders.thread.load(self.id)
        return None if card is None else await load_message(info, card.first)

    @strawberry.field(description="When the oldest message that you may see was sent.")
    async def first_message_at(self, info: Info) -> datetime | None:
        """Return the time of the first message; None when nothing is left to see."""
        card = await info.context.loaders.thread.load(self.id)
        return None if card is None else card.created_at

    @strawberry.field(description="When the newest message that you may see was sent.")
    async def last_message_at(self, info: Info) -> datetime | None:
        """Return the time of the last message; None when nothing is left to see."""
        span = await info.context.loaders.span.load(self.id)
        return None if span is None else span.last_at

    @strawberry.field(description="Who sent, or was named in, the messages that you may see.")
    async def participants(self, info: Info) -> list[AgentIdentity]:
        """Return the participants, by handle."""
        found = await info.context.loaders.participants.load(self.id) or []
        return [AgentIdentity.known_as(one.handle) for one in found]

    @strawberry.field(description="The participants by handle, each with what he sent of what you may see.")
    async def participation(self, info: Info, first: First = 20, after: After = None) -> ParticipationConnection:
        """Return a page of participants with their counts."""
        scope = f"participation:{self.id}"
        key = decode_cursor(scope, after, str)
        size = check_first(first, info.context.limits)
        everyone = await info.context.loaders.participants.load(self.id) or []
        left = [one for one in everyone if key is None or one.handle > str(key[0])]
        return participation_page(scope, left, size, after, len(everyone))

    @strawberry.field(description="The messages with none above them of the thread that you may see, oldest first.")
    async def roots(self, info: Info, first: First = 20, after: After = None) -> MessageConnection:
        """Return a page of the roots."""
        thread = await info.context.loaders.rebuilt.load(self.id)
        found = [] if thread is None else roots(thread)
        return await members_page(info, f"roots:{self.id}", found, first, after, newest_first=False)

    @strawberry.field(
        description="The messages that nobody answered, with none below them of the thread that you may see, newest "
        "first; an answer that forked off is among forks."
    )
    async def heads(self, info: Info, first: First = 20, after: After = None) -> MessageConnection:
        """Return a page of the heads."""
        thread = await info.context.loaders.rebuilt.load(self.id)
        found = [] if thread is None else heads(thread)
        return await members_page(info, f"heads:{self.id}", found, first, after, newest_first=True)

    @strawberry.field(
        description="Who was asked, in To of a message that expects a reply, and sent nothing below it, nor a direct "
        "reply that forked off; who has been waited for longest first. What you may not see neither asks nor answers."
    )
    async def awaiting_reply_from(
        self,
        info: Info,
        first: First = 20,
        asked_by: Annotated[
            Address | None, strawberry.argument(description="Who asked; left out: whoever did.")
        ] = strawberry.UNSET,
    ) -> list[AwaitedReply]:
        """Return who owes a reply."""
        size = check_first(first, info.context.limits)
        asker = said_address(asked_by, "askedBy", info.context.handle)
        found = await info.context.loaders.awaited.load((self.id, asker)) or []
        return [
            AwaitedReply(agent=AgentIdentity.known_as(one.agent), since=one.since, message_id=one.message)
            for one in found[:size]
        ]

    @strawberry.field(description="The memory that it began from: that which the oldest message you may see answers.")
    async def begun_from(self, info: Info) -> Memory | None:
        """Return the memory; None for another beginning, and for a memory that the caller may not see."""
        card = await info.context.loaders.thread.load(self.id)
        return None if card is None or card.memory is None else await load_memory(info, card.memory)

    @strawberry.field(description="The messages in causal order, siblings by time.")
    async def messages(self, info: Info, first: First = 20, after: After = None) -> ThreadMessageConnection:
        """Return a page of the rebuilt thread."""
        scope = f"thread:{self.id}"
        key = decode_cursor(scope, after, str, int)
        position = None if key is None else (str(key[0]), int(key[1]))
        thread = await info.context.loaders.rebuilt.load(self.id)
        places = () if thread is None else thread.places
        page = thread_page(places, check_first(first, info.context.limits), position)
        cursors = [encode_cursor(scope, place.anchor, place.above) for place in page.items]
        return ThreadMessageConnection(
            edges=[
                ThreadMessageEdge(cursor=cursor, node=_row(place))
                for place, cursor in zip(page.items, cursors, strict=True)
            ],
            page_info=page_info(cursors, has_next=page.has_next, after=after),
            total_count=len(places),
            complete=thread is None or thread.complete,
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
