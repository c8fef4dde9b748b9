"""Messages in the API: what a card holds is at hand, everything else is loaded when it is selected."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.concepts import MessageConcept
from api.schema.identities import AgentIdentity
from api.schema.lines import json_lines
from api.schema.memories import Memory, load_memory
from api.schema.nodes import NOTICE, Node
from api.schema.receipts import Receipt, ReceiptConnection, ReceiptEdge
from api.schema.scalars import Address, Priority, RecipientKind, Via
from api.schema.sessions import Session, load_session
from api.schema.tickets import Ticket
from graph.ids import Prefix, is_id
from graph.records import MessageCard
from graph.scanning import COUNT_MOST, Total

if TYPE_CHECKING:
    from api.schema.tasks import Task
    from api.schema.threads import Thread
    from graph.receipts import Receipt as ReceiptRecord


@strawberry.enum(description="Where a message comes from.")
class Provenance(StrEnum):
    """NATIVE was sent here by whoever its sender is; IMPORTED is as good as the archive it came from."""

    NATIVE = "NATIVE"
    IMPORTED = "IMPORTED"


@strawberry.type(description="An address that a message was sent to, as it was written.")
class Recipient:
    """A recipient."""

    address: Address
    kind: RecipientKind


ReplyTarget = Annotated["Message | Memory", strawberry.union("ReplyTarget", description="What a message answers.")]


@strawberry.type(description="A message. It never changes, but for being retracted: then its text is gone.")
class Message(Node):
    """A message that the caller may see."""

    subject: str
    created_at: datetime
    priority: Priority
    expects_reply: bool
    retracted: bool
    tags: list[str] = strawberry.field(description="The tags it was sent with; your own are those of the delivery.")
    provenance: Provenance
    sender: AgentIdentity
    thread_id: strawberry.Private[str]

    @classmethod
    def of(cls, card: MessageCard) -> "Message":
        """Return the API's message."""
        return cls(
            id=strawberry.ID(card.id),
            subject=card.subject,
            created_at=card.created_at,
            priority=Priority(card.priority),
            expects_reply=card.expects_reply,
            retracted=card.retracted,
            tags=list(card.tags),
            provenance=Provenance(card.provenance),
            sender=AgentIdentity.known_as(card.sender),
            thread_id=card.thread,
        )

    @strawberry.field
    async def body_text(self, info: Info) -> str:
        """Return the text."""
        return await info.context.loaders.body.load(self.id) or ""

    @strawberry.field
    async def recipients(self, info: Info) -> list[Recipient]:
        """Return to whom it was addressed, To before Cc."""
        found = await info.context.loaders.recipients.load(self.id) or []
        return [Recipient(address=Address(one.address), kind=RecipientKind(one.kind)) for one in found]

    @strawberry.field(description="The one thread it belongs to.")
    def thread(self) -> Annotated["Thread", strawberry.lazy("api.schema.threads")]:
        """Return the thread."""
        from api.schema.threads import Thread  # the two types refer to each other

        return Thread(id=strawberry.ID(self.thread_id))

    @strawberry.field(description="What it answers; null for nothing, and for what you may not see.")
    async def in_reply_to(self, info: Info) -> ReplyTarget | None:
        """Return the message or memory that it answers."""
        references = await info.context.loaders.references.load(self.id)
        answered = None if references is None else references.answers
        if answered is None:
            return None
        if is_id(answered, Prefix.MEMORY):
            return await load_memory(info, answered)
        return await load_message(info, answered)

    @strawberry.field(description="The direct replies that you may see, oldest first.")
    async def replies(self, info: Info, first: First = 20, after: After = None) -> "MessageConnection":
        """Return a page of replies."""
        return await replies_to(info, self.id, first, after)

    @strawberry.field(description="The session it comes from.")
    async def origin_session(self, info: Info) -> Session | None:
        """Return the session, if it names one."""
        references = await info.context.loaders.references.load(self.id)
        return await load_session(info, None if references is None else references.origin_session)

    @strawberry.field
    async def related_sessions(self, info: Info) -> list[Session]:
        """Return the other sessions it names."""
        references = await info.context.loaders.references.load(self.id)
        named = [] if references is None else references.related_sessions
        found = await info.context.loaders.session.load_many(named)
        return [Session.of(card) for card in found if card is not None]

    @strawberry.field
    async def tickets(self, info: Info) -> list[Ticket]:
        """Return the tickets it refers to."""
        references = await info.context.loaders.references.load(self.id)
        found = await info.context.loaders.ticket.load_many([] if references is None else references.tickets)
        return [Ticket.of(card) for card in found if card is not None]

    @strawberry.field
    async def memories(self, info: Info) -> list[Memory]:
        """Return the memories it refers to; who may see the message may see them."""
        references = await info.context.loaders.references.load(self.id)
        found = await info.context.loaders.memory.load_many([] if references is None else references.memories)
        return [Memory.of(card) for card in found if card is not None]

    @strawberry.field(description="The concepts of its tags, and those that automatic tagging found in its text.")
    async def concepts(self, info: Info) -> list[MessageConcept]:
        """Return the concepts it is tagged with, the sender's first."""
        return [MessageConcept.of(tagged) for tagged in await info.context.loaders.message_concepts.load(self.id) or ()]

    @strawberry.field(description="How far it came with each who got it; null for everybody but its sender.")
    async def receipts(self, info: Info, first: First = 20, after: After = None) -> ReceiptConnection | None:
        """Return a page of receipts."""
        reader = info.context.reader
        if self.sender.handle != reader.handle and not reader.everything:
            return None
        scope = f"receipts:{self.id}"
        key = decode_cursor(scope, after, str)
        place = None if key is None else str(key[0])
        loaders = info.context.loaders
        page = await loaders.receipts.load((self.id, check_first(first, info.context.limits), place))
        found: Sequence[ReceiptRecord] = () if page is None else page.items
        cursors = [encode_cursor(scope, receipt.address) for receipt in found]

        async def total() -> int:
            return await loaders.receipt_count.load(self.id) or 0

        edges = [
            ReceiptEdge(
                cursor=cursor,
                node=Receipt(
                    address=Address(receipt.address),
                    via=Via(receipt.via),
                    delivered_at=receipt.delivered_at,
                    seen_at=receipt.seen_at,
                    read_at=receipt.read_at,
                ),
            )
            for receipt, cursor in zip(found, cursors, strict=True)
        ]
        has_next = page is not None and page.has_next
        return ReceiptConnection(edges=edges, page_info=page_info(cursors, has_next=has_next, after=after), count=total)

    @strawberry.field(description="The task that it carries, if any.")
    async def task(self, info: Info) -> Annotated["Task", strawberry.lazy("api.schema.tasks")] | None:
        """Return the task; who may see the message may see it."""
        from api.schema.tasks import Task  # the two types refer to each other

        card = await info.context.loaders.message_task.load(self.id)
        return None if card is None else Task.of(card)

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


async def load_message(info: Info, message: str, *, shown: bool = True) -> Message | None:
    """Return the message of that id; None for one that the caller may not see.

    ``shown`` False: the caller gets back what he just wrote, which is not being shown what is in his mailbox.
    """
    card = await info.context.loaders.message.load(message)
    if card is None:
        return None
    if shown:
        info.context.shown_messages([message])
    return Message.of(card)


@strawberry.type
class MessageEdge:
    """A message and its place in a list."""

    cursor: str
    node: Message


@strawberry.type(description="A page of messages.")
class MessageConnection:
    """A page of messages; its total is counted only when it is selected."""

    edges: list[MessageEdge]
    page_info: PageInfo
    count: strawberry.Private[Callable[[], Awaitable[Total]]]

    @strawberry.field(description="How many there are, counted no further than 10,000.")
    async def total_count(self) -> int:
        """Return the total."""
        return (await self.count()).count

    @strawberry.field(description="Whether there are more than totalCount.")
    async def total_capped(self) -> bool:
        """Return whether counting stopped early."""
        return (await self.count()).capped

    @strawberry.field(
        description="The messages of this page as JSON Lines, as `heliograph import jsonl` reads them; of a retracted "
        "one there is no text."
    )
    async def json_lines(self, info: Info) -> str:
        """Return the page's messages, one a line."""
        info.context.shown_messages(edge.node.id for edge in self.edges)
        return await json_lines(info, [edge.node for edge in self.edges])

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


def message_connection(
    cards: Sequence[MessageCard],
    cursors: Sequence[str],
    has_next: bool,
    after: str | None,
    end: str | None,
    count: Callable[[], Awaitable[Total]],
) -> MessageConnection:
    """Return a page of messages as a connection."""
    return MessageConnection(
        edges=[MessageEdge(cursor=cursor, node=Message.of(card)) for card, cursor in zip(cards, cursors, strict=True)],
        page_info=page_info(cursors, has_next=has_next, after=after, end=end),
        count=count,
    )


async def replies_to(info: Info, answered: str, first: int | None, after: str | None) -> MessageConnection:
    """Return a page of the direct replies to a message or a memory that the caller may see, oldest first."""
    scope = f"replies:{answered}"
    key = decode_cursor(scope, after, str)
    place = None if key is None else str(key[0])
    page = await info.context.loaders.replies.load((answered, check_first(first, info.context.limits), place))

    async def total() -> Total:
        count = await info.context.loaders.reply_count.load(answered) or 0
        return Total(min(count, COUNT_MOST), capped=count > COUNT_MOST)

    cards: Sequence[MessageCard] = () if page is None else page.items
    has_next = page is not None and page.has_next
    info.context.shown_messages(card.id for card in cards)
    return message_connection(cards, [encode_cursor(scope, c.id) for c in cards], has_next, after, None, total)


@strawberry.type
class MessageQuery:
    """Queries of single messages."""

    @strawberry.field(description="One message; null when there is none, or none that you may see.")
    async def message(self, info: Info, id: strawberry.ID) -> Message | None:  # noqa: A002 - the contract's name
        """Return a message by its id."""
        info.context.identification.required()
        return await load_message(info, id) if is_id(id, Prefix.MESSAGE) else None
