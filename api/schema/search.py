"""Search in the API: full text over the messages that one may see, with pieces of the text round what was found."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.inputs import said, said_address, said_tags, said_thread, said_time
from api.schema.mailbox import Delivery, once
from api.schema.messages import Message
from api.schema.nodes import NOTICE
from api.schema.scalars import Address
from graph import search as searching
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id
from graph.rules import highlights as highlighting
from graph.rules.searching import search_terms
from graph.scanning import Total


@strawberry.type(
    description="Where a match lies in a fragment: from start up to and without end, in Unicode characters."
)
class Span:
    """A match."""

    start: int
    end: int


@strawberry.type(description="A piece of a message round what was found. It is text, not markup.")
class Highlight:
    """A piece of the subject or of the body."""

    field: str = strawberry.field(description="subject or bodyText.")
    fragment: str
    matches: list[Span]

    @classmethod
    def of(cls, found: highlighting.Highlight) -> "Highlight":
        """Return the API's highlight."""
        spans = [Span(start=span.start, end=span.end) for span in found.matches]
        return cls(field=found.field, fragment=found.fragment, matches=spans)


@strawberry.type
class SearchEdge:
    """A message that was found."""

    cursor: str
    message: strawberry.Private[Message]
    terms: strawberry.Private[tuple[str, ...]]

    @strawberry.field
    def node(self, info: Info) -> Message:
        """Return the message; selecting it is being shown it, asking for cursors and counts alone is not."""
        self._shown(info)
        return self.message

    @strawberry.field(description="Your own mailbox entry of it; null when it is not in your mailbox.")
    async def delivery(self, info: Info) -> Delivery | None:
        """Return the caller's entry; selecting it is being shown it."""
        entry = await info.context.loaders.own_entry.load(self.message.id)
        if entry is None:
            return None
        info.context.shown(info.context.handle, [entry])
        return Delivery.of(entry)

    @strawberry.field(description="A piece of the subject, of the body, or of both, with what was found in it.")
    async def highlights(self, info: Info) -> list[Highlight]:
        """Return where the terms are; selecting pieces of the text is being shown it."""
        self._shown(info)
        body_text = await info.context.loaders.body.load(self.message.id) or ""
        return [Highlight.of(found) for found in highlighting.highlights(self.terms, self.message.subject, body_text)]

    def _shown(self, info: Info) -> None:
        info.context.shown_messages([self.message.id])


@strawberry.type(description="A page of what was found, newest first.")
class SearchConnection:
    """A page of what was found; its total is counted only when it is selected."""

    edges: list[SearchEdge]
    page_info: PageInfo
    count: strawberry.Private[Callable[[], Awaitable[Total]]]

    @strawberry.field(description="How many messages are found, counted no further than 10,000.")
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


@strawberry.input(
    description="Where to search, by the message's own date. Several tags must all be there, each or its alias."
)
class SearchFilter:
    """A filter of a search."""

    from_: Address | None = strawberry.field(name="from", default=strawberry.UNSET)
    tags: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="Your own where the message is in your mailbox, else the message's."
    )
    thread: strawberry.ID | None = strawberry.UNSET
    since: datetime | None = strawberry.UNSET
    until: datetime | None = strawberry.UNSET
    include_narrower: bool | None = strawberry.field(
        default=False, description="Whether a tag is met by a narrower concept too."
    )
    unread: bool | None = strawberry.field(
        default=strawberry.UNSET, description="Of your own mailbox entry; either way only what you have one of."
    )

    def meant(self, info: Info) -> searching.SearchFilter:
        """Return the filter in the graph's words. Raises Refused for a value that cannot be meant."""
        return searching.SearchFilter(
            sender=said_address(self.from_, "from", info.context.handle),
            tags=said_tags(self.tags, info.context.graph.limits),
            thread=said_thread(self.thread),
            since=said_time(self.since, "since"),
            until=said_time(self.until, "until"),
            unread=said(self.unread),
            include_narrower=bool(self.include_narrower),
        )


@strawberry.type
class SearchQuery:
    """Queries by what a message says."""

    @strawberry.field(description="The messages you may see that have every word in subject or body, newest first.")
    async def search(
        self,
        info: Info,
        query: str,
        first: First = 20,
        after: After = None,
        filter: SearchFilter | None = strawberry.UNSET,  # noqa: A002 - the contract's name
    ) -> SearchConnection:
        """Return a page of what was found."""
        reader, graph = info.context.reader, info.context.graph
        scope = f"search:{reader.handle}"
        key = decode_cursor(scope, after, str)
        before = None if key is None else str(key[0])
        if before is not None and not is_id(before, Prefix.MESSAGE):
            raise Refused(RefusalCode.INVALID_INPUT, "after is not a cursor of this list.", field="after")
        terms = search_terms(query, graph.limits)
        chosen = filter.meant(info) if filter else searching.SearchFilter()
        size = check_first(first, info.context.limits)
        page = await searching.search(graph.database, reader, terms, chosen, size, before)
        edges = [
            SearchEdge(cursor=encode_cursor(scope, card.id), message=Message.of(card), terms=terms)
            for card in page.items
        ]
        cursors = [edge.cursor for edge in edges]
        # A first page that has everything says how much that is, without being counted.
        known = Total(len(edges), capped=False) if before is None and not page.has_next else None

        async def total() -> Total:
            return known or await searching.search_total(graph.database, reader, terms, chosen)

        end = encode_cursor(scope, page.end) if page.has_next and page.end is not None else None
        return SearchConnection(
            edges=edges,
            page_info=page_info(cursors, has_next=page.has_next, after=after, end=end),
            count=once(total),
        )
