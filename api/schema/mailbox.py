"""The mailbox in the API: inbox and sent."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, key_time, page_info, time_key
from api.schema.identities import AgentIdentity
from api.schema.inputs import said, said_address, said_tags, said_thread, said_time
from api.schema.messages import Message, MessageConnection, message_connection
from api.schema.nodes import NOTICE
from api.schema.scalars import Address, Priority, Via
from api.selections import selects
from api.states import encode_state
from graph import mailbox as mailboxes
from graph import sent as history
from graph.changes import settled_state
from graph.errors import RefusalCode, Refused
from graph.records import Delivery as DeliveryRecord
from graph.rules.text import shown
from graph.scanning import Total

T = TypeVar("T")

OWN = Address("@self")


@strawberry.type(description="Who works, or worked, on an entry of a queue.")
class EntryClaim:
    """The state of a claim; its token is shown to the claimer alone."""

    by: AgentIdentity
    until: datetime | None = strawberry.field(description="When it is free again; null once it is finished.")
    finished_at: datetime | None


@strawberry.type(description="One mailbox entry: how a message came to you, and what you did with it.")
class Delivery:
    """A mailbox entry."""

    uid: int = strawberry.field(description="Its place in the mailbox: never repeated, without gaps.")
    unread: bool
    delivered_at: datetime
    seen_at: datetime | None = strawberry.field(description="When the owner was first shown it.")
    read_at: datetime | None = strawberry.field(description="When it was first read.")
    archived_at: datetime | None
    via: Via
    tags: list[str] = strawberry.field(description="The owner's tags; at first those of the message.")
    message: Message
    queue: strawberry.Private[str | None] = None

    @strawberry.field(description="Who claimed it, in a queue's mailbox; null elsewhere, and while nobody has.")
    async def claim(self, info: Info) -> EntryClaim | None:
        """Return how the entry of a queue stands."""
        if self.queue is None:
            return None
        state = await info.context.loaders.claim.load((self.queue, self.message.id))
        return (
            None
            if state is None
            else EntryClaim(by=AgentIdentity.known_as(state.by), until=state.until, finished_at=state.finished_at)
        )

    @classmethod
    def of(cls, entry: DeliveryRecord, mailbox: str | None = None) -> "Delivery":
        """Return the API's mailbox entry; ``mailbox`` where it may be a queue's."""
        return cls(
            queue=mailbox if mailbox is not None and mailbox.startswith("role:") else None,
            uid=entry.uid,
            unread=entry.unread,
            delivered_at=entry.delivered_at,
            seen_at=entry.seen_at,
            read_at=entry.read_at,
            archived_at=entry.archived_at,
            via=Via(entry.via),
            tags=list(entry.tags),
            message=Message.of(entry.message),
        )


@strawberry.type
class DeliveryEdge:
    """A mailbox entry and its place in the list."""

    cursor: str
    node: Delivery


@strawberry.type(description="A page of a mailbox, newest first.")
class DeliveryConnection:
    """A page of mailbox entries."""

    page_info: PageInfo
    unread_count: int = strawberry.field(description="Unread entries of the inbox, whatever the filter.")
    state: str = strawberry.field(description="The mailbox's state, not newer than this page.")
    mailbox: strawberry.Private[str]
    rows: strawberry.Private[list[DeliveryEdge]]
    count: strawberry.Private[Callable[[], Awaitable[Total]]]

    @strawberry.field
    def edges(self, info: Info) -> list[DeliveryEdge]:
        """Return the entries; selecting them is being shown them, asking for counts alone is not."""
        info.context.shown(self.mailbox, (row.node for row in self.rows))
        return self.rows

    @strawberry.field(description="How many the filter selects, counted no further than 10,000.")
    async def total_count(self) -> int:
        """Return the total."""
        return (await self.count()).count

    @strawberry.field(description="Whether there may be more than totalCount.")
    async def total_capped(self) -> bool:
        """Return whether counting stopped early."""
        return (await self.count()).capped

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.input(description="Which entries to list. Several tags must all be there, each as itself or as an alias.")
class InboxFilter:
    """A filter of the inbox."""

    unread: bool | None = strawberry.UNSET
    from_: Address | None = strawberry.field(name="from", default=strawberry.UNSET)
    tags: list[str] | None = strawberry.UNSET
    thread: strawberry.ID | None = strawberry.UNSET
    priority: Priority | None = strawberry.UNSET
    since: datetime | None = strawberry.field(default=strawberry.UNSET, description="Delivered then or later.")
    include_archived: bool | None = False
    include_narrower: bool | None = strawberry.field(
        default=False, description="Whether a tag is met by a narrower concept too."
    )
    via: Via | None = strawberry.UNSET

    def meant(self, info: Info) -> mailboxes.InboxFilter:
        """Return the filter in the graph's words. Raises Refused for a value that cannot be meant."""
        return mailboxes.InboxFilter(
            unread=said(self.unread),
            sender=said_address(self.from_, "from", info.context.handle),
            tags=said_tags(self.tags, info.context.graph.limits),
            thread=said_thread(self.thread),
            priority=said(self.priority),
            since=said_time(self.since, "since"),
            via=said(self.via),
            include_archived=bool(self.include_archived),
            include_narrower=bool(self.include_narrower),
        )


@strawberry.input(description="Which sent messages to list, by the message's own date. Several tags must all be there.")
class SentFilter:
    """A filter of what was sent."""

    to: Address | None = strawberry.UNSET
    tags: list[str] | None = strawberry.UNSET
    thread: strawberry.ID | None = strawberry.UNSET
    since: datetime | None = strawberry.UNSET
    until: datetime | None = strawberry.UNSET
    include_narrower: bool | None = strawberry.field(
        default=False, description="Whether a tag is met by a narrower concept too."
    )

    def meant(self, info: Info) -> history.SentFilter:
        """Return the filter in the graph's words. Raises Refused for a value that cannot be meant."""
        return history.SentFilter(
            to=said_address(self.to, "to", info.context.handle),
            tags=said_tags(self.tags, info.context.graph.limits),
            thread=said_thread(self.thread),
            since=said_time(self.since, "since"),
            until=said_time(self.until, "until"),
            include_narrower=bool(self.include_narrower),
        )


async def open_mailbox(info: Info, written: str) -> str:
    """Return the address of the mailbox to read: the own one, a queue of the caller's, one granted; an analyst's any.

    Raises Refused for one that the caller may not see, there or not.
    """
    address = said_address(written, "mailbox", info.context.handle)
    reader = info.context.reader
    known = address in reader.mailboxes or (
        reader.everything
        and address is not None
        and await mailboxes.mailbox_exists(info.context.graph.database, address)
    )
    if address is None or not known:
        raise Refused(RefusalCode.NOT_FOUND, f"mailbox {shown(written)} is not one that you may read.", field="mailbox")
    return address


@strawberry.type
class MailboxQuery:
    """Queries of the mailbox."""

    @strawberry.field(description="What came to you, newest first.")
    async def inbox(
        self,
        info: Info,
        first: First = 20,
        after: After = None,
        filter: InboxFilter | None = strawberry.UNSET,  # noqa: A002 - the contract's name
        mailbox: Address | None = OWN,
    ) -> DeliveryConnection:
        """Return a page of the inbox."""
        address = await open_mailbox(info, OWN if mailbox is None else mailbox)
        scope = f"inbox:{address}"
        key = decode_cursor(scope, after, int)
        chosen = filter.meant(info) if filter else mailboxes.InboxFilter()
        database, size = info.context.graph.database, check_first(first, info.context.limits)
        # Copies of a mailbox begin from this state, so no entry up to it may be missing; others need not wait for it.
        settled = await settled_state(database, address) if selects(info, "state") else None
        inbox = await mailboxes.inbox(database, address, chosen, size, None if key is None else int(key[0]))
        cursors = [encode_cursor(scope, entry.uid) for entry in inbox.page.items]
        rows = [
            DeliveryEdge(cursor=cursor, node=Delivery.of(entry, address))
            for entry, cursor in zip(inbox.page.items, cursors, strict=True)
        ]
        end = encode_cursor(scope, inbox.page.end) if inbox.page.has_next and inbox.page.end is not None else None
        return DeliveryConnection(
            mailbox=address,
            rows=rows,
            page_info=page_info(cursors, has_next=inbox.page.has_next, after=after, end=end),
            unread_count=inbox.unread_count,
            state=encode_state(address, settled or inbox.state),
            count=once(lambda: mailboxes.inbox_total(database, address, chosen)),
        )

    @strawberry.field(description="What you sent, newest first.")
    async def sent(
        self,
        info: Info,
        first: First = 20,
        after: After = None,
        filter: SentFilter | None = strawberry.UNSET,  # noqa: A002 - the contract's name
    ) -> MessageConnection:
        """Return a page of what the caller sent."""
        reader = info.context.handle
        scope = f"sent:{reader}"
        key = decode_cursor(scope, after, int, str)
        before = None if key is None else (key_time(int(key[0])), str(key[1]))
        chosen = filter.meant(info) if filter else history.SentFilter()
        database, size = info.context.graph.database, check_first(first, info.context.limits)
        page = await history.sent(database, reader, chosen, size, before)
        cursors = [encode_cursor(scope, time_key(card.created_at), card.id) for card in page.items]
        end = encode_cursor(scope, time_key(page.end[0]), page.end[1]) if page.has_next and page.end else None
        total = once(lambda: history.sent_total(database, reader, chosen))
        return message_connection(page.items, cursors, page.has_next, after, end, total)


def once(count: Callable[[], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
    """Count at most once, however many fields ask."""
    known: list[Awaitable[T]] = []

    async def total() -> T:
        if not known:
            known.append(asyncio.ensure_future(count()))
        return await known[0]

    return total
