"""Correspondence in the API: what agents wrote to each other, and the graph of who writes to whom."""

import asyncio
from datetime import datetime
from typing import Annotated

import strawberry

from api.context import Info
from api.relay import After, First, check_first, decode_cursor, encode_cursor, key_time, time_key
from api.schema.inputs import said, said_address, said_tags, said_thread
from api.schema.mailbox import once
from api.schema.messages import MessageConnection, message_connection
from api.schema.periods import Since, SinceEver, Until, said_handle, said_period
from api.schema.scalars import Address, GraphFormat, Measured
from graph import correspondence as corresponding
from graph.correspondence import BETWEEN_LEAST, BETWEEN_MOST, Conversation, ConversationFilter
from graph.errors import RefusalCode, Refused
from graph.exporting import exported
from graph.measuring import measured
from graph.rules.links import Link, Projection, projected
from graph.rules.periods import Period
from graph.rules.tickets import ticket_key

#: The addresses that a conversation may be narrowed to.
AMONG_MOST = 50


@strawberry.type(description="What one address wrote to another. Recipients are addresses as written.")
class ConversationEdge:
    """A link of the conversation."""

    source: Address = strawberry.field(description="Who wrote.")
    target: Address = strawberry.field(description="To whom: an agent, a role, or everybody.")
    weight: int = strawberry.field(description="Messages, or threads, whichever were asked for.")
    messages: int
    threads: int
    answered: int = strawberry.field(description="Messages that the target answered; of a role, that anybody answered.")
    unanswered: int = strawberry.field(description="Messages that expect a reply and have none of the target.")
    median_response_seconds: float | None = strawberry.field(
        description="How long the target's first answer took, the one in the middle; null when none came."
    )

    @classmethod
    def of(cls, link: Link, by: Measured) -> "ConversationEdge":
        """Return the API's edge."""
        return cls(
            source=Address(link.sender),
            target=Address(link.recipient),
            weight=link.weight(by),
            messages=link.messages,
            threads=len(link.threads),
            answered=link.answered,
            unanswered=link.unanswered,
            median_response_seconds=link.median_response_seconds,
        )


@strawberry.type(description="An address of the conversation.")
class ConversationNode:
    """A node of the conversation."""

    address: Address
    sent: int = strawberry.field(description="The weight of all it wrote.")
    received: int = strawberry.field(description="The weight of all that was written to it.")


@strawberry.type(description="What an address is in the conversation, as networkx measures it.")
class ConversationMeasures:
    """Measures of a node."""

    address: Address
    in_degree: int = strawberry.field(description="How many write to it.")
    out_degree: int = strawberry.field(description="To how many it writes.")
    betweenness: float = strawberry.field(description="The share of shortest paths between others that pass it.")
    page_rank: float = strawberry.field(description="PageRank by weight; all together are 1.")
    community: int = strawberry.field(description="The community (Louvain) it is in; 0 is the largest.")


@strawberry.type
class Projected:
    """What matrix and graph have in common."""

    conversation: strawberry.Private[Conversation]
    projection: strawberry.Private[Projection]

    @strawberry.field(description="Where counting began: with the period or, if capped, what to go back from (until).")
    def since(self) -> datetime:
        """Return the beginning of what was counted."""
        return self.conversation.counted.since

    @strawberry.field(description="When the period ends.")
    def until(self) -> datetime:
        """Return the end."""
        return self.conversation.counted.until

    @strawberry.field(description="Whether the period has more than is read at once, 10,000 messages; the newest are.")
    def capped(self) -> bool:
        """Return whether counting left out the older ones."""
        return self.conversation.capped

    @strawberry.field(description="How many messages of it were counted.")
    def messages(self) -> int:
        """Return the number of messages."""
        return self.conversation.messages

    @strawberry.field(description="Whether it has more than 500 addresses or 5,000 links; the heaviest are given.")
    def truncated(self) -> bool:
        """Return whether lighter ones were left out."""
        return self.projection.truncated

    @strawberry.field(description="The graph as text in a format that other programs open.")
    async def export(self, format: GraphFormat) -> str:  # noqa: A002 - what everybody calls it
        """Return the graph as text."""
        return await asyncio.to_thread(exported, self.projection, format)


@strawberry.type(description="Who writes to whom, a row for each pair.")
class CommunicationMatrix(Projected):
    """A matrix, without its empty fields."""

    @strawberry.field(description="By source and target; pairs without mail have no row.")
    def rows(self) -> list[ConversationEdge]:
        """Return the rows."""
        return [ConversationEdge.of(link, self.projection.by) for link in self.projection.links]


@strawberry.type(description="The conversation as a graph of addresses, with weighted edges.")
class ConversationGraph(Projected):
    """A graph of the conversation."""

    @strawberry.field(description="By address.")
    def nodes(self) -> list[ConversationNode]:
        """Return the nodes."""
        return [
            ConversationNode(address=Address(node.address), sent=node.sent, received=node.received)
            for node in self.projection.nodes
        ]

    @strawberry.field(description="By source and target.")
    def edges(self) -> list[ConversationEdge]:
        """Return the edges."""
        return [ConversationEdge.of(link, self.projection.by) for link in self.projection.links]

    @strawberry.field(description="Degree, betweenness, PageRank and community of each node, by address.")
    async def measures(self) -> list[ConversationMeasures]:
        """Return the measures, which are computed where nobody waits for the event loop."""
        return [
            ConversationMeasures(
                address=Address(one.address),
                in_degree=one.in_degree,
                out_degree=one.out_degree,
                betweenness=one.betweenness,
                page_rank=one.page_rank,
                community=one.community,
            )
            for one in await asyncio.to_thread(measured, self.projection)
        ]


@strawberry.input(
    name="ConversationFilter",
    description="Which messages a conversation is made of. Several tags must all be there, each as itself or an alias.",
)
class ConversationFilterInput:
    """A filter of the conversation."""

    since: datetime | None = strawberry.field(
        default=strawberry.UNSET, description="When the period begins; left out: 30 days before its end."
    )
    until: datetime | None = strawberry.field(
        default=strawberry.UNSET, description="When the period has ended; left out: now."
    )
    among: list[Address] | None = strawberry.field(
        default=strawberry.UNSET, description="The addresses that sender and recipient must be of."
    )
    tags: list[str] | None = strawberry.UNSET
    thread: strawberry.ID | None = strawberry.UNSET


@strawberry.type
class CorrespondenceQuery:
    """Queries of who writes to whom."""

    @strawberry.field(description="What 2 to 10 agents wrote to each other, oldest first, of that what you may see.")
    async def correspondence(
        self,
        info: Info,
        between: list[Address],
        first: First = 20,
        after: After = None,
        since: SinceEver = None,
        until: Until = None,
        ticket: Annotated[
            str | None,
            strawberry.argument(description="A key such as 'repo#123': only threads in which a message refers to it."),
        ] = None,
    ) -> MessageConnection:
        """Return a page of a correspondence."""
        reader, database = info.context.reader, info.context.graph.database
        handles = await _between(info, between)
        if (written := said(ticket)) is not None:
            whole = said_period(info, since, until, whole=True)
            return await _of_ticket(info, handles, ticket_key(written, "ticket"), whole, first, after)
        scope = f"correspondence:{','.join(handles)}"
        key = decode_cursor(scope, after, int, str)
        place = None if key is None else (key_time(int(key[0])), str(key[1]))
        whole, size = said_period(info, since, until, whole=True), check_first(first, info.context.limits)
        page = await corresponding.correspondence(database, reader, handles, whole, size, place)
        cursors = [encode_cursor(scope, time_key(card.created_at), card.id) for card in page.items]
        end = encode_cursor(scope, time_key(page.end[0]), page.end[1]) if page.has_next and page.end else None
        info.context.shown_messages(card.id for card in page.items)
        total = once(lambda: corresponding.correspondence_total(database, reader, handles, whole))
        return message_connection(page.items, cursors, page.has_next, after, end, total)

    @strawberry.field(description="Who writes to whom in a period, a row for each pair, of that what you may see.")
    async def communication_matrix(
        self,
        info: Info,
        since: Since = None,
        until: Until = None,
        by: Measured | None = Measured.MESSAGES,
        among: list[Address] | None = None,
        tags: list[str] | None = None,
    ) -> CommunicationMatrix:
        """Return the matrix."""
        chosen = ConversationFilter(
            said_period(info, since, until), _among(info, among), said_tags(tags, info.context.graph.limits)
        )
        found, projection = await _folded(info, chosen, by)
        return CommunicationMatrix(conversation=found, projection=projection)

    @strawberry.field(description="The conversation of a period as a weighted graph, of that what you may see.")
    async def conversation_graph(
        self,
        info: Info,
        filter: ConversationFilterInput | None = None,  # noqa: A002 - the contract's name
        by: Measured | None = Measured.MESSAGES,
    ) -> ConversationGraph:
        """Return the graph."""
        meant = filter or ConversationFilterInput()
        chosen = ConversationFilter(
            said_period(info, meant.since, meant.until),
            _among(info, meant.among),
            said_tags(meant.tags, info.context.graph.limits),
            said_thread(meant.thread),
        )
        found, projection = await _folded(info, chosen, by)
        return ConversationGraph(conversation=found, projection=projection)


async def _of_ticket(
    info: Info, handles: list[str], ticket: str, whole: Period, first: int | None, after: str | None
) -> MessageConnection:
    reader, database = info.context.reader, info.context.graph.database
    scope = f"correspondence:{','.join(handles)}:{ticket}"
    key = decode_cursor(scope, after, str)
    size, place = check_first(first, info.context.limits), None if key is None else str(key[0])
    page = await corresponding.correspondence_of_ticket(database, reader, handles, ticket, whole, size, place)
    cursors = [encode_cursor(scope, card.id) for card in page.items]
    end = encode_cursor(scope, page.end) if page.has_next and page.end else None
    info.context.shown_messages(card.id for card in page.items)
    total = once(lambda: corresponding.total_of_ticket(database, reader, handles, ticket, whole))
    return message_connection(page.items, cursors, page.has_next, after, end, total)


async def _folded(info: Info, chosen: ConversationFilter, by: Measured | None) -> tuple[Conversation, Projection]:
    found = await corresponding.conversation(info.context.graph.database, info.context.reader, chosen)
    return found, projected(found.links, by or Measured.MESSAGES)


async def _between(info: Info, written: list[Address]) -> list[str]:
    if len(written) > BETWEEN_MOST:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"between names {len(written)}; at most {BETWEEN_MOST} are allowed.",
            field="between",
        )
    handles = sorted({await said_handle(info, one, "between") for one in written})
    if len(handles) < BETWEEN_LEAST:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            "between names fewer than two different agents; name whose mail.",
            field="between",
        )
    return handles


def _among(info: Info, written: list[Address] | None) -> tuple[str, ...]:
    named = said(written) or []
    if len(named) > AMONG_MOST:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED, f"among names {len(named)}; at most {AMONG_MOST} are allowed.", field="among"
        )
    handle = info.context.handle
    return tuple(address for one in named if (address := said_address(one, "among", handle)) is not None)
