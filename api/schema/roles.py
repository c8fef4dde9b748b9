"""Roles in the API: the directory of roles, and an operator's care of them."""

from datetime import datetime

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.identities import AgentIdentity
from api.schema.inputs import said
from api.schema.nodes import Node
from api.schema.refusals import Refusal
from api.schema.scalars import Address, RoleDelivery
from graph.errors import Refused
from graph.roles import NewRole, RoleCard, add_member, create_role, remove_member, role_address, roles


@strawberry.type(description="An address that stands for whoever holds it. Its id is its address.")
class Role(Node):
    """A role."""

    address: Address
    description: str | None
    delivery: RoleDelivery
    created_at: datetime

    @classmethod
    def of(cls, card: RoleCard) -> "Role":
        """Return the API's role."""
        return cls(
            id=strawberry.ID(card.address),
            address=Address(card.address),
            description=card.description,
            delivery=card.delivery,
            created_at=card.created_at,
        )

    @strawberry.field(description="Who holds it, by handle.")
    async def members(self, info: Info) -> list[AgentIdentity]:
        """Return the members."""
        return [AgentIdentity.known_as(h) for h in await info.context.loaders.role_members.load(self.id) or []]


@strawberry.type
class RoleEdge:
    """A role and its place in the list."""

    cursor: str
    node: Role


@strawberry.type(description="A page of roles, by address.")
class RoleConnection:
    """A page of roles."""

    edges: list[RoleEdge]
    page_info: PageInfo


@strawberry.input
class CreateRoleInput:
    """What an operator says of a role to be."""

    address: Address
    description: str | None = strawberry.UNSET
    delivery: RoleDelivery | None = RoleDelivery.EACH


@strawberry.type(description="The role as it is now.")
class RolePayload:
    """The result of a change to a role."""

    role: Role | None = None
    refusal: Refusal | None = None


async def load_role(info: Info, address: str) -> Role | None:
    """Return the role of that address; None for none."""
    card = await info.context.loaders.role.load(address)
    return None if card is None else Role.of(card)


@strawberry.type
class RoleQuery:
    """Queries about roles."""

    @strawberry.field(description="One role; null when there is none.")
    async def role(self, info: Info, address: Address) -> Role | None:
        """Return a role."""
        info.context.identification.required()
        return await load_role(info, role_address(address, "address"))

    @strawberry.field(description="Every role there is.")
    async def roles(self, info: Info, first: First = 20, after: After = None) -> RoleConnection:
        """Return a page of the roles."""
        info.context.identification.required()
        key = decode_cursor("roles", after, str)
        size = check_first(first, info.context.limits)
        page = await roles(info.context.graph.database, size, None if key is None else str(key[0]))
        cursors = [encode_cursor("roles", card.address) for card in page.items]
        return RoleConnection(
            edges=[RoleEdge(cursor=c, node=Role.of(card)) for card, c in zip(page.items, cursors, strict=True)],
            page_info=page_info(cursors, has_next=page.has_next, after=after),
        )


@strawberry.type
class RoleMutation:
    """Mutations of roles, for operators."""

    @strawberry.mutation(description="Creates a role without members. For operators.")
    async def create_role(self, info: Info, input: CreateRoleInput) -> RolePayload:  # noqa: A002 - the usual name
        """Create a role."""
        graph = info.context.graph
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            new = NewRole(input.address, said(input.description), input.delivery or RoleDelivery.EACH)
            address = await create_role(graph.database, graph.clock, new, graph.limits)
        except Refused as refused:
            return RolePayload(refusal=Refusal.of(refused))
        return RolePayload(role=await load_role(info, address))

    @strawberry.mutation(description="Makes an identity a member of a role, from the next send on. For operators.")
    async def add_role_member(self, info: Info, role: Address, agent: Address) -> RolePayload:
        """Add a member."""
        graph = info.context.graph
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            address = await add_member(graph.database, graph.clock, role, agent)
        except Refused as refused:
            return RolePayload(refusal=Refusal.of(refused))
        return RolePayload(role=await load_role(info, address))

    @strawberry.mutation(description="Ends a membership; what the member received stays theirs. For operators.")
    async def remove_role_member(self, info: Info, role: Address, agent: Address) -> RolePayload:
        """Remove a member."""
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            address = await remove_member(info.context.graph.database, role, agent)
        except Refused as refused:
            return RolePayload(refusal=Refusal.of(refused))
        return RolePayload(role=await load_role(info, address))
