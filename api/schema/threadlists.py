"""The list of one's threads in the API."""

from datetime import datetime

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.inputs import said_address, said_tags, said_time
from api.schema.nodes import NOTICE
from api.schema.scalars import Address
from api.schema.threads import Thread
from graph import threadlists


@strawberry.type
class ThreadEdge:
    """A thread and its place in the list."""

    cursor: str
    node: Thread


@strawberry.type(description="A page of threads, by the newest message of each that you may see, newest first.")
class ThreadConnection:
    """A page of threads."""

    edges: list[ThreadEdge]
    page_info: PageInfo

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.input(description="Which threads to list, by the messages of each that you may see.")
class ThreadFilter:
    """A filter of the threads."""

    participant: Address | None = strawberry.field(
        default=strawberry.UNSET, description="Who sent one of the messages, or is named in one."
    )
    tags: list[str] | None = strawberry.field(
        default=strawberry.UNSET,
        description="One of the messages must have them all: your own tags where it is in your mailbox, else its own.",
    )
    include_narrower: bool | None = strawberry.field(
        default=False, description="Whether a tag is met by a narrower concept too."
    )
    active_since: datetime | None = strawberry.field(
        default=strawberry.UNSET, description="The newest message is of then or later."
    )
    awaiting_me: bool | None = strawberry.field(
        default=False, description="Whether only those where a reply of yours is awaited."
    )
    awaited_by_me: bool | None = strawberry.field(
        default=False, description="Whether only those where somebody has not answered you."
    )
    open: bool | None = strawberry.field(
        default=False, description="Whether only those where anybody's reply is awaited, as `awaitingReplyFrom` says."
    )

    def meant(self, info: Info) -> threadlists.ThreadFilter:
        """Return the filter in the graph's words. Raises Refused for a value that cannot be meant."""
        return threadlists.ThreadFilter(
            participant=said_address(self.participant, "participant", info.context.handle),
            tags=said_tags(self.tags, info.context.graph.limits),
            include_narrower=bool(self.include_narrower),
            active_since=said_time(self.active_since, "activeSince"),
            awaiting_me=bool(self.awaiting_me),
            awaited_by_me=bool(self.awaited_by_me),
            open=bool(self.open),
        )


@strawberry.type
class ThreadListQuery:
    """Queries of many threads."""

    @strawberry.field(description="The threads of which you see a message, newest activity first.")
    async def threads(
        self,
        info: Info,
        first: First = 20,
        after: After = None,
        filter: ThreadFilter | None = strawberry.UNSET,  # noqa: A002 - the name of every list's filter
    ) -> ThreadConnection:
        """Return a page of the caller's threads."""
        reader, graph = info.context.reader, info.context.graph
        scope = f"threads:{reader.handle}"
        key = decode_cursor(scope, after, str)
        chosen = filter.meant(info) if filter else threadlists.ThreadFilter()
        page = await threadlists.threads(
            graph.database,
            reader,
            chosen,
            check_first(first, info.context.limits),
            None if key is None else str(key[0]),
            graph.limits.thread_members,
        )
        cursors = [encode_cursor(scope, one.newest) for one in page.items]
        end = encode_cursor(scope, page.end) if page.has_next and page.end is not None else None
        return ThreadConnection(
            edges=[
                ThreadEdge(cursor=cursor, node=Thread(id=strawberry.ID(one.id)))
                for one, cursor in zip(page.items, cursors, strict=True)
            ],
            page_info=page_info(cursors, has_next=page.has_next, after=after, end=end),
        )
