"""Sunset handovers in the API (seed 000)."""

from datetime import datetime

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.inputs import said, said_tags
from api.schema.messages import Message, load_message
from api.schema.nodes import NOTICE
from api.schema.refusals import Refusal
from api.schema.sessions import Session, load_session
from graph import handovers as handing_over
from graph.errors import Refused
from graph.records import HandoverCard


@strawberry.type(description="What an ended session left for the next one of the same agent.")
class Handover:
    """A handover."""

    pending: bool = strawberry.field(description="No session has accepted it.")
    accepted_at: datetime | None
    card: strawberry.Private[HandoverCard]
    shown: strawberry.Private[bool] = True

    @classmethod
    def of(cls, card: HandoverCard, *, shown: bool = True) -> "Handover":
        """Return the API's handover; ``shown`` False for the one who just wrote it."""
        return cls(pending=card.pending, accepted_at=card.accepted_at, card=card, shown=shown)

    @strawberry.field(description="The message that carries it.")
    async def message(self, info: Info) -> Message:
        """Return the message; it is the caller's own, so it is there."""
        found = await load_message(info, self.card.message, shown=self.shown)
        if found is None:
            raise LookupError(f"The handover {self.card.message} has no message.")
        return found

    @strawberry.field(description="The session it comes from.")
    async def session(self, info: Info) -> Session:
        """Return the origin session; it is the caller's own, so it is there."""
        found = await load_session(info, self.card.session)
        if found is None:
            raise LookupError(f"The handover {self.card.message} has no session.")
        return found

    @strawberry.field(description="The session that accepted it; null while it is pending.")
    async def accepted_by(self, info: Info) -> Session | None:
        """Return the accepting session."""
        return await load_session(info, self.card.accepted_by)


@strawberry.type
class HandoverEdge:
    """A handover and its place in the list."""

    cursor: str
    node: Handover


@strawberry.type(description="A page of handovers, oldest first: later ones win, earlier ones explain drift.")
class HandoverConnection:
    """A page of handovers."""

    edges: list[HandoverEdge]
    page_info: PageInfo

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.input(description="Which handovers to list. pending null lists accepted ones too; tags must all be there.")
class HandoverFilter:
    """A filter of handovers."""

    pending: bool | None = True
    tags: list[str] | None = strawberry.UNSET


@strawberry.input(description="What a session leaves its successor. The text must stand alone.")
class HandoverInput:
    """A handover to write."""

    session: strawberry.ID = strawberry.field(description="The session that ends, by our id or your harness's.")
    body_text: str
    subject: str | None = strawberry.UNSET
    tags: list[str] | None = strawberry.UNSET
    tickets: list[str] | None = strawberry.UNSET
    memories: list[strawberry.ID] | None = strawberry.UNSET
    idempotency_key: str | None = strawberry.UNSET


@strawberry.type(description="The handover that was written.")
class HandoverPayload:
    """The result of writing a handover."""

    handover: Handover | None = None
    refusal: Refusal | None = None


@strawberry.input(description="Which handovers a session takes: without ids the whole pending stack, with ids those.")
class AcceptHandoversInput:
    """What to accept."""

    session: strawberry.ID
    ids: list[strawberry.ID] | None = strawberry.UNSET


@strawberry.type(description="What the session holds now, oldest first; effective is the newest of it.")
class AcceptHandoversPayload:
    """The result of accepting."""

    accepted: list[Handover] | None = None
    effective: Handover | None = None
    refusal: Refusal | None = None


@strawberry.type(description="What was given back, oldest first; it is pending again.")
class ReturnHandoversPayload:
    """The result of giving back."""

    returned: list[Handover] | None = None
    refusal: Refusal | None = None


@strawberry.type
class HandoverQuery:
    """Queries of handovers."""

    @strawberry.field(description="Your handovers, oldest first; pending ones unless the filter says otherwise.")
    async def handovers(
        self,
        info: Info,
        filter: HandoverFilter | None = strawberry.UNSET,  # noqa: A002 - the contract's name
        first: First = 20,
        after: After = None,
    ) -> HandoverConnection:
        """Return a page of handovers."""
        reader, graph = info.context.handle, info.context.graph
        scope = f"handovers:{reader}"
        key = decode_cursor(scope, after, int)
        chosen = filter or HandoverFilter()
        page = await handing_over.handovers(
            graph.database,
            reader,
            check_first(first, info.context.limits),
            None if key is None else int(key[0]),
            pending=chosen.pending,
            tags=said_tags(chosen.tags, graph.limits),
        )
        cursors = [encode_cursor(scope, card.uid) for card in page.items]
        end = encode_cursor(scope, page.end) if page.has_next and page.end is not None else None
        return HandoverConnection(
            edges=[
                HandoverEdge(cursor=cursor, node=Handover.of(card))
                for card, cursor in zip(page.items, cursors, strict=True)
            ],
            page_info=page_info(cursors, has_next=page.has_next, after=after, end=end),
        )


@strawberry.type
class HandoverMutation:
    """Mutations of handovers."""

    @strawberry.mutation(description="Leaves a handover to yourself; refused gently when nobody knows who you are.")
    async def write_handover(self, info: Info, input: HandoverInput) -> HandoverPayload:  # noqa: A002 - the contract's name
        """Write a handover."""
        graph = info.context.graph
        try:
            info.context.begin_mutation()
            agent = info.context.identification.bound().handle
            written = handing_over.HandoverInput(
                session=input.session,
                body_text=input.body_text,
                subject=said(input.subject),
                tags=tuple(input.tags or ()),
                tickets=tuple(input.tickets or ()),
                memories=tuple(input.memories or ()),
                idempotency_key=said(input.idempotency_key),
            )
            sent = await handing_over.write_handover(graph.committer, graph.clock, agent, written, graph.limits)
        except Refused as refused:
            return HandoverPayload(refusal=Refusal.of(refused))
        card = await handing_over.handover_card_of(graph.database, agent, sent.message)
        return HandoverPayload(handover=Handover.of(card, shown=False))

    @strawberry.mutation(description="Takes handovers over for a session, in one atomic act; accepted means read.")
    async def accept_handovers(self, info: Info, input: AcceptHandoversInput) -> AcceptHandoversPayload:  # noqa: A002 - the contract's name
        """Accept handovers."""
        graph, reader = info.context.graph, info.context.handle
        try:
            info.context.begin_mutation()
            accepted = await handing_over.accept_handovers(
                graph.database, graph.clock, reader, input.session, said(input.ids), graph.limits
            )
        except Refused as refused:
            return AcceptHandoversPayload(refusal=Refusal.of(refused))
        effective = accepted.effective
        return AcceptHandoversPayload(
            accepted=[Handover.of(card) for card in accepted.handovers],
            effective=None if effective is None else Handover.of(effective),
        )

    @strawberry.mutation(description="Gives an acceptance back, all of it or these; the handovers are pending again.")
    async def return_handovers(
        self, info: Info, session: strawberry.ID, ids: list[strawberry.ID] | None = strawberry.UNSET
    ) -> ReturnHandoversPayload:
        """Give handovers back."""
        graph, reader = info.context.graph, info.context.handle
        try:
            info.context.begin_mutation()
            returned = await handing_over.return_handovers(graph.database, reader, session, said(ids), graph.limits)
        except Refused as refused:
            return ReturnHandoversPayload(refusal=Refusal.of(refused))
        return ReturnHandoversPayload(returned=[Handover.of(card) for card in returned])
