"""Memories in the API: kept by an agent, answered and referred to by messages."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from api.context import Info
from api.relay import After, First
from api.schema.identities import AgentIdentity
from api.schema.inputs import said
from api.schema.nodes import NOTICE, Node
from api.schema.refusals import Refusal
from api.schema.sessions import Session, load_session
from graph.errors import Refused
from graph.ids import Prefix, is_id
from graph.memories import MemoryInput, remember
from graph.records import MemoryCard

if TYPE_CHECKING:
    from api.schema.messages import MessageConnection


@strawberry.type(description="Something an agent keeps. Private, unless a message of its agent refers to it.")
class Memory(Node):
    """A memory."""

    text: str
    agent: AgentIdentity
    tags: list[str]
    created_at: datetime
    session_id: strawberry.Private[str | None]

    @classmethod
    def of(cls, card: MemoryCard) -> "Memory":
        """Return the API's memory."""
        return cls(
            id=strawberry.ID(card.id),
            text=card.text,
            agent=AgentIdentity.known_as(card.agent),
            tags=list(card.tags),
            created_at=card.created_at,
            session_id=card.session,
        )

    @strawberry.field(description="The session it was recorded in, if any.")
    async def session(self, info: Info) -> Session | None:
        """Return the session, where the caller may see it."""
        return await load_session(info, self.session_id)

    @strawberry.field(description="The messages that answer it, of those that you may see, oldest first.")
    async def replies(
        self, info: Info, first: First = 20, after: After = None
    ) -> Annotated["MessageConnection", strawberry.lazy("api.schema.messages")]:
        """Return a page of replies."""
        from api.schema.messages import replies_to  # the two types refer to each other

        return await replies_to(info, self.id, first, after)

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


async def load_memory(info: Info, memory: str) -> Memory | None:
    """Return the memory of that id; None for one that the caller may not see."""
    card = await info.context.loaders.memory.load(memory)
    return None if card is None else Memory.of(card)


@strawberry.input
class RememberInput:
    """What to keep."""

    text: str
    session: strawberry.ID | None = strawberry.UNSET
    tags: list[str] | None = strawberry.UNSET
    idempotency_key: str | None = strawberry.UNSET


@strawberry.type(description="The memory that was kept.")
class RememberPayload:
    """The result of remembering."""

    memory: Memory | None = None
    refusal: Refusal | None = None


@strawberry.type
class MemoryQuery:
    """Queries of memories."""

    @strawberry.field(description="One memory; null when there is none, or none that you may see.")
    async def memory(self, info: Info, id: strawberry.ID) -> Memory | None:  # noqa: A002 - the contract's name
        """Return a memory by its id."""
        info.context.identification.required()
        return await load_memory(info, id) if is_id(id, Prefix.MEMORY) else None


@strawberry.type
class MemoryMutation:
    """Mutations of memories."""

    @strawberry.mutation(description="Keeps a memory.")
    async def remember(self, info: Info, input: RememberInput) -> RememberPayload:  # noqa: A002 - the contract's name
        """Keep a memory."""
        graph, reader = info.context.graph, info.context.handle
        memory_input = MemoryInput(
            text=input.text,
            session=said(input.session),
            tags=tuple(input.tags or ()),
            idempotency_key=said(input.idempotency_key),
        )
        try:
            info.context.begin_mutation()
            memory = await remember(graph.database, graph.clock, reader, memory_input, graph.limits)
        except Refused as refused:
            return RememberPayload(refusal=Refusal.of(refused))
        return RememberPayload(memory=await load_memory(info, memory))
