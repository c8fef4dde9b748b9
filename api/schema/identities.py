"""Identities in the API: the directory, oneself, and an operator's registration."""

from datetime import datetime

import strawberry

from api.context import Info
from api.schema.inputs import said
from api.schema.nodes import Node
from api.schema.refusals import Refusal
from api.schema.scalars import Address, IdentityKind, IdentityStatus
from graph.errors import Refused
from graph.identities import NewIdentity, register, set_status
from graph.keys import Scope
from graph.records import IdentityCard


@strawberry.type(description="Somebody who sends and is sent to. Its id is its handle.")
class AgentIdentity(Node):
    """An identity; everything but its handle is read when it is selected."""

    handle: str

    @classmethod
    def known_as(cls, handle: str) -> "AgentIdentity":
        """Return the identity of a handle that is known to exist."""
        return cls(id=strawberry.ID(handle), handle=handle)

    @strawberry.field
    async def display_name(self, info: Info) -> str | None:
        """Return the name to show beside the handle."""
        return (await self._card(info)).display_name

    @strawberry.field
    async def kind(self, info: Info) -> IdentityKind:
        """Return what it is."""
        return IdentityKind((await self._card(info)).kind)

    @strawberry.field(description="Its model family, such as 'claude/opus', by which one may write to it.")
    async def family(self, info: Info) -> str | None:
        """Return its model family, if it has one."""
        return (await self._card(info)).family

    @strawberry.field
    async def status(self, info: Info) -> IdentityStatus:
        """Return whether it takes part."""
        return IdentityStatus((await self._card(info)).status)

    @strawberry.field(description="Whether it came with imported mail: nobody can log in as it until it gets a key.")
    async def imported(self, info: Info) -> bool:
        """Return whether it was made by an import."""
        return (await self._card(info)).imported

    @strawberry.field
    async def created_at(self, info: Info) -> datetime:
        """Return when it was registered."""
        return (await self._card(info)).created_at

    @strawberry.field(description="When it last used a key here, to the minute; null when it never did.")
    async def last_seen_at(self, info: Info) -> datetime | None:
        """Return when it was last here."""
        return (await self._card(info)).last_seen_at

    async def _card(self, info: Info) -> IdentityCard:
        card = await info.context.loaders.identity.load(self.handle)
        if card is None:
            raise LookupError(f"The identity {self.handle} is referred to and is not there.")
        return card


@strawberry.input
class RegisterAgentInput:
    """What an operator says of an identity to be."""

    handle: str
    display_name: str | None = strawberry.UNSET
    kind: IdentityKind | None = IdentityKind.AGENT
    family: str | None = strawberry.field(
        default=strawberry.UNSET, description="Its model family, 'maker/model', by which one may write to it."
    )


@strawberry.type(description="The new identity and its key, which is shown this once.")
class RegisterAgentPayload:
    """The result of registering."""

    agent: AgentIdentity | None = None
    key: str | None = None
    refusal: Refusal | None = None


@strawberry.type(description="The identity as it is now.")
class AgentStatusPayload:
    """The result of a change of status."""

    agent: AgentIdentity | None = None
    refusal: Refusal | None = None


@strawberry.type
class IdentityQuery:
    """Queries about identities."""

    @strawberry.field(description="Who you are here.")
    async def me(self, info: Info) -> AgentIdentity:
        """Return the caller."""
        return AgentIdentity.known_as(info.context.handle)


@strawberry.type
class IdentityMutation:
    """Mutations of identities."""

    @strawberry.mutation(description="Registers an identity with a mailbox and a key of its own. For operators.")
    async def register_agent(self, info: Info, input: RegisterAgentInput) -> RegisterAgentPayload:  # noqa: A002 - the contract's name
        """Register an identity and issue its first key."""
        graph = info.context.graph
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            new = NewIdentity(
                input.handle, said(input.display_name), input.kind or IdentityKind.AGENT, said(input.family)
            )
            key, minted = graph.keys.mint({Scope.AGENT}, graph.clock.now())
            handle = await register(graph.database, graph.clock, new, graph.limits, key=minted)
        except Refused as refused:
            return RegisterAgentPayload(refusal=Refusal.of(refused))
        return RegisterAgentPayload(agent=AgentIdentity.known_as(handle), key=key.get_secret_value())

    @strawberry.mutation(
        description="Makes an identity ACTIVE, BENCHED (no broadcasts) or RETIRED (sends nothing, is not written to). "
        "For operators."
    )
    async def set_agent_status(self, info: Info, agent: Address, status: IdentityStatus) -> AgentStatusPayload:
        """Change whether an identity takes part."""
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            handle = await set_status(info.context.graph.database, agent, status)
        except Refused as refused:
            return AgentStatusPayload(refusal=Refusal.of(refused))
        return AgentStatusPayload(agent=AgentIdentity.known_as(handle))
