"""Sender history in the API: what one sent in a period, as series and as the list behind them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime

import strawberry

from api.context import Info
from api.relay import After, First, check_first, decode_cursor, encode_cursor, key_time, time_key
from api.schema.identities import AgentIdentity
from api.schema.mailbox import OWN, once
from api.schema.messages import MessageConnection, message_connection
from api.schema.periods import Since, Until, said_handle, said_period
from api.schema.scalars import Address, Bucket, GraphFormat, Measured
from api.selections import selects
from graph.exporting import exported
from graph.history import History, history_page, sender_history
from graph.rules.figures import Figures, figures, ranked, series
from graph.rules.links import folded, projected
from graph.rules.periods import Period, buckets
from graph.scanning import Total

#: The names that one tally shows.
TALLY_MOST = 100


@strawberry.type(description="A name, and how often it was counted.")
class TallyEntry:
    """A row of a tally."""

    name: str
    count: int


@strawberry.type(description="Names by how often they were counted, most first, and all others together.")
class Tally:
    """Counts by name."""

    entries: list[TallyEntry] = strawberry.field(description="The 100 that were counted most; equals by name.")
    others: int = strawberry.field(description="How often all other names were counted together.")

    @classmethod
    def of(cls, counts: Counter[str]) -> "Tally":
        """Return the API's tally."""
        rows, others = ranked(counts, TALLY_MOST)
        return cls(entries=[TallyEntry(name=name, count=count) for name, count in rows], others=others)


@strawberry.type(description="Figures of messages that one sent. All but the median add up over the parts of a period.")
class HistoryFigures:
    """Figures of some messages."""

    counted: strawberry.Private[Figures]
    sent: int = strawberry.field(description="How many messages.")
    replies: int = strawberry.field(description="Replies to them by others, whenever they came.")
    unanswered: int = strawberry.field(description="Those that expect a reply and have none of anybody else.")
    threads_started: int = strawberry.field(description="Those that are the first message of their thread.")
    threads_closed: int = strawberry.field(
        description="Those that are the last of several messages of their thread and expect no reply."
    )
    median_response_seconds: float | None = strawberry.field(
        description="How long a first reply took, the one in the middle; null when none came."
    )

    @classmethod
    def of(cls, counted: Figures) -> "HistoryFigures":
        """Return the API's figures."""
        return cls(
            counted=counted,
            sent=counted.sent,
            replies=counted.replies,
            unanswered=counted.unanswered,
            threads_started=counted.threads_started,
            threads_closed=counted.threads_closed,
            median_response_seconds=counted.median_response_seconds,
        )

    @strawberry.field(description="To whom, by address as written; a message counts for each of its recipients.")
    def recipients(self) -> Tally:
        """Return counts by recipient."""
        return Tally.of(self.counted.recipients)

    @strawberry.field(description="By tag; a message counts for each of its tags.")
    def tags(self) -> Tally:
        """Return counts by tag."""
        return Tally.of(self.counted.tags)

    @strawberry.field(description="By the id of a session that it comes from or is related to.")
    def sessions(self) -> Tally:
        """Return counts by session."""
        return Tally.of(self.counted.sessions)

    @strawberry.field(description="By the id of a memory that it refers to.")
    def memories(self) -> Tally:
        """Return counts by memory."""
        return Tally.of(self.counted.memories)


@strawberry.type(description="A day, a week or a month of a history; the first and the last are cut to the period.")
class HistoryPart:
    """A part of a series."""

    since: datetime
    until: datetime = strawberry.field(description="Where the next one begins.")
    figures: HistoryFigures


@strawberry.type(description="What an agent sent in a period, of that what you may see.")
class SenderHistory:
    """A sender's history; figures are made only when they are selected."""

    agent: AgentIdentity
    since: datetime
    bucket: Bucket
    period: strawberry.Private[Period]
    history: strawberry.Private[Callable[[], Awaitable[History]]]

    @strawberry.field(description="Where counting ended: the end of the period or, if capped, where to go on from.")
    async def until(self) -> datetime:
        """Return the end of what was counted."""
        return (await self.history()).counted.until

    @strawberry.field(description="Whether the period has more than is read at once, 10,000 messages.")
    async def capped(self) -> bool:
        """Return whether counting stopped before the end of the period."""
        return (await self.history()).capped

    @strawberry.field(description="All that was counted.")
    async def total(self) -> HistoryFigures:
        """Return the figures of the whole."""
        return HistoryFigures.of(figures((await self.history()).facts))

    @strawberry.field(description="The same by day, week or month, the oldest first, without gaps.")
    async def parts(self) -> list[HistoryPart]:
        """Return the series."""
        history = await self.history()
        parts = buckets(history.counted, self.bucket)
        return [
            HistoryPart(since=part.since, until=part.until, figures=HistoryFigures.of(counted))
            for part, counted in zip(parts, series(history.facts, parts), strict=True)
        ]

    @strawberry.field(description="The messages behind the figures, oldest first, to the end of the period.")
    async def messages(self, info: Info, first: First = 20, after: After = None) -> MessageConnection:
        """Return a page of the messages."""
        sender = self.agent.handle
        scope = f"history:{sender}"
        key = decode_cursor(scope, after, int, str)
        place = None if key is None else (key_time(int(key[0])), str(key[1]))
        database, size = info.context.graph.database, check_first(first, info.context.limits)
        page = await history_page(database, info.context.reader, sender, self.period, size, place)
        cursors = [encode_cursor(scope, time_key(card.created_at), card.id) for card in page.items]
        end = encode_cursor(scope, time_key(page.end[0]), page.end[1]) if page.has_next and page.end else None
        info.context.shown_messages(card.id for card in page.items)

        async def total() -> Total:
            history = await self.history()
            return Total(len(history.facts), history.capped)

        return message_connection(page.items, cursors, page.has_next, after, end, total)

    @strawberry.field(description="To whom it went, as a graph: the sender and the addresses, with what was counted.")
    async def export(self, format: GraphFormat) -> str:  # noqa: A002 - what everybody calls it
        """Return the graph of the history as text."""
        history = await self.history()
        return await asyncio.to_thread(lambda: exported(projected(folded(history.facts), Measured.MESSAGES), format))


@strawberry.type
class HistoryQuery:
    """Queries of what one sent."""

    @strawberry.field(
        description="What an agent sent in a period, as series and as a list; of another what you may see."
    )
    async def sender_history(
        self,
        info: Info,
        handle: Address | None = OWN,
        since: Since = None,
        until: Until = None,
        bucket: Bucket | None = Bucket.WEEK,
    ) -> SenderHistory:
        """Return a sender's history."""
        reader, graph = info.context.reader, info.context.graph
        sender = await said_handle(info, handle, "handle")
        whole, size = said_period(info, since, until), bucket or Bucket.WEEK
        if selects(info, "parts"):
            # What cannot be answered is refused before anything is counted.
            buckets(whole, size)
        return SenderHistory(
            agent=AgentIdentity.known_as(sender),
            since=whole.since,
            bucket=size,
            period=whole,
            history=once(lambda: sender_history(graph.database, reader, sender, whole)),
        )
