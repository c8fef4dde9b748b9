"""Permissions in the API: what you allow others with your mailbox, and forbid them; what others allow you."""

from datetime import datetime
from enum import StrEnum

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.identities import AgentIdentity
from api.schema.inputs import said_address
from api.schema.mailbox import OWN, open_mailbox
from api.schema.refusals import Refusal
from api.schema.scalars import Address, Permission, ReplyPolicy
from graph import permissions
from graph.errors import RefusalCode, Refused
from graph.keys import Scope
from graph.permissions import Right as RightRecord
from graph.rules.text import shown


@strawberry.enum(description="What one identity may, or may not, do with another's mailbox.")
class RightKind(StrEnum):
    """The relationships, which point from the one who may to the one who allowed it."""

    CAN_READ_INBOX_OF = "CAN_READ_INBOX_OF"
    CAN_REPLY_TO = "CAN_REPLY_TO"
    BLOCKED_BY = "BLOCKED_BY"


@strawberry.enum(description="Which end of a right you are at.")
class RightDirection(StrEnum):
    """GIVEN: by the mailbox to others. HELD: by you, of others; who blocks you is theirs to know."""

    GIVEN = "GIVEN"
    HELD = "HELD"


@strawberry.type(description="One right: what the agent may, or may not, do with the mailbox.")
class Right:
    """A right."""

    agent: AgentIdentity
    kind: RightKind
    mailbox: Address
    since: datetime

    @classmethod
    def of(cls, right: RightRecord) -> "Right":
        """Return the API's right."""
        return cls(
            agent=AgentIdentity.known_as(right.agent),
            kind=RightKind(right.type),
            mailbox=Address(right.mailbox),
            since=right.since,
        )


@strawberry.type
class RightEdge:
    """A right and its place in the list."""

    cursor: str
    node: Right


@strawberry.type(description="A page of rights, by who, or whose mailbox, is at the other end.")
class RightConnection:
    """A page of rights."""

    edges: list[RightEdge]
    page_info: PageInfo


@strawberry.type(description="The right as it stands; null in a revocation, with whether there was one.")
class RightPayload:
    """The result of granting, revoking, blocking or unblocking."""

    right: Right | None = None
    changed: bool | None = strawberry.field(
        default=None, description="After taking something back: whether there was anything; null when refused."
    )
    refusal: Refusal | None = None


@strawberry.type
class ReplyPolicyPayload:
    """The result of setting the reply policy."""

    reply_policy: ReplyPolicy | None = None
    refusal: Refusal | None = None


async def governed_mailbox(info: Info, written: str) -> str:
    """Return the mailbox whose rights the caller governs: the own one, or as an operator a role's. Raises Refused."""
    address = said_address(written, "mailbox", info.context.handle) or ""
    role = address.startswith("role:") and Scope.OPERATOR in info.context.identification.required().scopes
    if address != info.context.handle and not (role and await info.context.loaders.role.load(address)):
        raise Refused(
            RefusalCode.NOT_FOUND, f"mailbox {shown(written)} is not one whose rights you govern.", field="mailbox"
        )
    return address


@strawberry.type
class PermissionQuery:
    """Queries about rights."""

    @strawberry.field(description="The rights that your mailbox, or as an operator a role's, gives; or those you hold.")
    async def permissions(
        self,
        info: Info,
        direction: RightDirection | None = RightDirection.GIVEN,
        first: First = 20,
        after: After = None,
        mailbox: Address | None = OWN,
    ) -> RightConnection:
        """Return a page of rights."""
        written = OWN if mailbox is None else mailbox
        whose = open_mailbox if info.context.reader.everything else governed_mailbox
        address = await whose(info, written)
        held = direction is RightDirection.HELD
        scope = f"permissions:{direction}:{address}"
        key = decode_cursor(scope, after, str, str)
        place = None if key is None else (str(key[0]), str(key[1]))
        database, size = info.context.graph.database, check_first(first, info.context.limits)
        if held:
            page = await permissions.rights_held(database, address, size, place)
        else:
            page = await permissions.rights_given(database, address, [k.value for k in RightKind], size, place)
        cursors = [encode_cursor(scope, right.mailbox if held else right.agent, right.type) for right in page.items]
        edges = [RightEdge(cursor=c, node=Right.of(r)) for r, c in zip(page.items, cursors, strict=True)]
        return RightConnection(edges=edges, page_info=page_info(cursors, has_next=page.has_next, after=after))

    @strawberry.field(description="To whom identities may write directly here.")
    async def reply_policy(self, info: Info) -> ReplyPolicy:
        """Return the reply policy."""
        info.context.identification.required()
        return await permissions.reply_policy(info.context.graph.database)


@strawberry.type
class PermissionMutation:
    """Mutations of rights. ``mailbox`` may be a role's for an operator; otherwise it is one's own."""

    @strawberry.mutation(description="Allows an agent something with your mailbox; a block still beats it.")
    async def grant_permission(
        self, info: Info, agent: Address, permission: Permission, mailbox: Address | None = OWN
    ) -> RightPayload:
        """Grant a permission."""
        info.context.identification.required()
        graph = info.context.graph
        try:
            info.context.begin_mutation()
            address = await governed_mailbox(info, OWN if mailbox is None else mailbox)
            right = await permissions.grant(graph.database, graph.clock, address, agent, permission)
        except Refused as refused:
            return RightPayload(refusal=Refusal.of(refused))
        return RightPayload(right=Right.of(right))

    @strawberry.mutation(description="Takes a permission back, from the next request on.")
    async def revoke_permission(
        self, info: Info, agent: Address, permission: Permission, mailbox: Address | None = OWN
    ) -> RightPayload:
        """Revoke a permission."""
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            address = await governed_mailbox(info, OWN if mailbox is None else mailbox)
            changed = await permissions.revoke(info.context.graph.database, address, agent, permission)
        except Refused as refused:
            return RightPayload(refusal=Refusal.of(refused))
        return RightPayload(changed=changed)

    @strawberry.mutation(
        description="Keeps an agent's mail out of your mailbox, and the agent from reading it, whatever was granted."
    )
    async def block(self, info: Info, agent: Address, mailbox: Address | None = OWN) -> RightPayload:
        """Block an agent."""
        info.context.identification.required()
        graph = info.context.graph
        try:
            info.context.begin_mutation()
            address = await governed_mailbox(info, OWN if mailbox is None else mailbox)
            right = await permissions.block(graph.database, graph.clock, address, agent)
        except Refused as refused:
            return RightPayload(refusal=Refusal.of(refused))
        return RightPayload(right=Right.of(right))

    @strawberry.mutation(description="Lifts a block; grants from before it count again.")
    async def unblock(self, info: Info, agent: Address, mailbox: Address | None = OWN) -> RightPayload:
        """Unblock an agent."""
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            address = await governed_mailbox(info, OWN if mailbox is None else mailbox)
            changed = await permissions.unblock(info.context.graph.database, address, agent)
        except Refused as refused:
            return RightPayload(refusal=Refusal.of(refused))
        return RightPayload(changed=changed)

    @strawberry.mutation(description="Sets to whom identities may write directly, in all of this graph. For operators.")
    async def set_reply_policy(self, info: Info, policy: ReplyPolicy) -> ReplyPolicyPayload:
        """Set the reply policy."""
        info.context.identification.required()
        graph = info.context.graph
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            chosen = await permissions.set_reply_policy(graph.database, graph.clock, policy)
        except Refused as refused:
            return ReplyPolicyPayload(refusal=Refusal.of(refused))
        return ReplyPolicyPayload(reply_policy=chosen)
