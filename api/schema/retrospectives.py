"""Retrospectives in the API: a session, or an agent's period, gathered in order."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, key_time, page_info, time_key
from api.schema.concepts import load_concept
from api.schema.inputs import said, said_tags
from api.schema.memories import Memory, load_memory
from api.schema.messages import Message, load_message
from api.schema.nodes import NOTICE
from api.schema.periods import SinceEver, Until, said_handle, said_period
from api.schema.scalars import Address, ItemKind
from api.schema.tickets import Ticket, load_ticket
from graph import retrospectives as looking_back
from graph.errors import RefusalCode, Refused
from graph.rules.retrospectives import Item, items_after
from graph.rules.tags import canonical_tag

DECISIONS = ["decision"]


@strawberry.type(description="Something that was written, or first spoken of, then.")
class RetrospectiveItem:
    """An item."""

    kind: ItemKind
    at: datetime
    item: strawberry.Private[Item]

    @strawberry.field(description="The message or, of a ticket or memory, the first that refers to it, if any does.")
    async def message(self, info: Info) -> Message | None:
        """Return the message of the item."""
        return None if self.item.message is None else await load_message(info, self.item.message)

    @strawberry.field(description="The ticket; null for other kinds.")
    async def ticket(self, info: Info) -> Ticket | None:
        """Return the ticket of the item."""
        return await load_ticket(info, self.item.target) if self.kind is ItemKind.TICKET else None

    @strawberry.field(description="The memory; null for other kinds.")
    async def memory(self, info: Info) -> Memory | None:
        """Return the memory of the item."""
        return await load_memory(info, self.item.target) if self.kind is ItemKind.MEMORY else None


@strawberry.type
class RetrospectiveEdge:
    """An item and its place in the list."""

    cursor: str
    node: RetrospectiveItem


@strawberry.type(description="A page of a retrospective, oldest first.")
class RetrospectiveConnection:
    """A page of items."""

    edges: list[RetrospectiveEdge]
    page_info: PageInfo
    total_count: int = strawberry.field(description="How many items there are.")

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type(description="How many items of a kind there are.")
class RetrospectiveCount:
    """A count."""

    kind: ItemKind
    count: int


@strawberry.type(
    description="What happened in a session, what an agent wrote, or what a concept was put on, in order of time."
)
class Retrospective:
    """A retrospective."""

    since: datetime = strawberry.field(
        description="Where it begins: with the period or, of a concept that is capped, what to go back from (until)."
    )
    until: datetime = strawberry.field(
        description="Where it ends: that of the period or, of a session or agent that is capped, where to go on from."
    )
    capped: bool = strawberry.field(description="Whether there are more messages than are read at once, 10,000.")
    scope: strawberry.Private[str]
    found: strawberry.Private[looking_back.Retrospective]

    @strawberry.field(description="How many items of each kind there are, none left out.")
    def counts(self) -> list[RetrospectiveCount]:
        """Return the counts, in the order of the kinds."""
        counted = self.found.counts
        return [RetrospectiveCount(kind=kind, count=counted[kind]) for kind in ItemKind]

    @strawberry.field(description="Messages, handovers and decisions; tickets and memories where they are first named.")
    def items(self, info: Info, first: First = 20, after: After = None) -> RetrospectiveConnection:
        """Return a page of items."""
        key = decode_cursor(self.scope, after, int, str, int)
        place = None if key is None else (key_time(int(key[0])), str(key[1]), int(key[2]))
        size = check_first(first, info.context.limits)
        left = items_after(self.found.items, place)
        page = left[:size]
        cursors = [encode_cursor(self.scope, time_key(item.at), item.anchor, item.place) for item in page]
        return RetrospectiveConnection(
            edges=[
                RetrospectiveEdge(cursor=cursor, node=RetrospectiveItem(kind=item.kind, at=item.at, item=item))
                for item, cursor in zip(page, cursors, strict=True)
            ],
            page_info=page_info(cursors, has_next=len(left) > size, after=after),
            total_count=len(self.found.items),
        )


@strawberry.type
class RetrospectiveQuery:
    """Queries that look back."""

    @strawberry.field(
        description="A session's footprint, a concept's history, or what an agent wrote in a period (the last 30 "
        "days), in order; of a session or concept the whole, and null when it is none that you may see. Name one of "
        "the three."
    )
    async def retrospective(
        self,
        info: Info,
        session: strawberry.ID | None = None,
        handle: Address | None = None,
        concept: Annotated[
            str | None,
            strawberry.argument(description="A tag, of messages and memories."),
        ] = None,
        since: SinceEver = None,
        until: Until = None,
        tags: Annotated[
            list[str] | None, strawberry.argument(description="One of these tags makes a message a decision.")
        ] = DECISIONS,
    ) -> Retrospective | None:
        """Return a retrospective."""
        reader, graph = info.context.reader, info.context.graph
        decisions = said_tags(DECISIONS if tags is None else tags, graph.limits)
        named, tag = said(session), said(concept)
        _check_one({"session": named, "handle": said(handle), "concept": tag})
        whole = said_period(info, since, until, whole=named is not None or tag is not None)
        if named is not None:
            of_session = await looking_back.of_session(graph.database, reader, named, whole, decisions)
            if of_session is None:
                return None
            found, scope = of_session, f"retrospective:{named}"
        elif tag is not None:
            meant = await load_concept(info, canonical_tag(tag, "concept", graph.limits))
            if meant is None:
                return None
            found = await looking_back.of_concept(graph.database, reader, meant.name, whole, decisions)
            scope = f"retrospective:{meant.id}"
        else:
            sender = await said_handle(info, handle, "handle")
            found = await looking_back.of_handle(graph.database, reader, sender, whole, decisions)
            scope = f"retrospective:{sender}"
        return Retrospective(
            since=found.counted.since, until=found.counted.until, capped=found.capped, scope=scope, found=found
        )


def _check_one(named: dict[str, str | None]) -> None:
    given = [field for field, value in named.items() if value is not None]
    if len(given) > 1:
        raise Refused(
            RefusalCode.INVALID_INPUT, f"{given[0]} and {given[1]} are both given; name one of them.", field=given[1]
        )
