"""``node`` and ``nodes``: by its form, an id says where to look; the rights are those of every other path."""

import asyncio

import strawberry

from api.context import Info
from api.schema.concepts import PREFIX as CONCEPT
from api.schema.concepts import load_concept
from api.schema.identities import AgentIdentity
from api.schema.memories import load_memory
from api.schema.messages import load_message
from api.schema.nodes import Node
from api.schema.roles import load_role
from api.schema.sessions import load_session
from api.schema.tasks import load_task
from api.schema.threads import load_thread
from api.schema.tickets import load_ticket
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, prefix_of
from graph.rules.addresses import AddressKind, parse_address
from graph.rules.tags import canonical_tag
from graph.rules.tickets import PREFIX as TICKET
from graph.rules.tickets import ticket_key

NODES_MOST = 100


async def load_node(info: Info, id_: str) -> Node | None:
    """Return the node of that id; None for an unknown one, a malformed one, and one that is not for the caller."""
    match prefix_of(id_):
        case Prefix.MESSAGE:
            return await load_message(info, id_)
        case Prefix.THREAD:
            return await load_thread(info, id_)
        case Prefix.SESSION:
            return await load_session(info, id_)
        case Prefix.MEMORY:
            return await load_memory(info, id_)
        case Prefix.TASK:
            return await load_task(info, id_)
        case _:
            return await _named(info, id_)


async def _named(info: Info, id_: str) -> Node | None:
    try:
        if id_.startswith(TICKET):
            return await load_ticket(info, ticket_key(id_, "id"))
        if id_.startswith("role:"):
            return await load_role(info, parse_address(id_, "id").text)
        if id_.startswith(CONCEPT):
            return await load_concept(info, canonical_tag(id_, "id", info.context.graph.limits))
        if id_.startswith("@") and parse_address(id_, "id").kind is AddressKind.IDENTITY:
            card = await info.context.loaders.identity.load(parse_address(id_, "id").text)
            return None if card is None else AgentIdentity.known_as(card.handle)
    except Refused:
        # What cannot be an id is the id of nothing.
        return None
    return None


@strawberry.type
class LookupQuery:
    """Queries by id alone."""

    @strawberry.field(description="Anything, by its id; null when there is none, or none that you may see.")
    async def node(self, info: Info, id: strawberry.ID) -> Node | None:  # noqa: A002 - the contract's name
        """Return a node."""
        info.context.identification.required()
        return await load_node(info, id)

    @strawberry.field(description="Several, in the order asked; at most 100.")
    async def nodes(self, info: Info, ids: list[strawberry.ID]) -> list[Node | None]:
        """Return nodes."""
        info.context.identification.required()
        if len(ids) > NODES_MOST:
            raise Refused(
                RefusalCode.LIMIT_EXCEEDED, f"ids names {len(ids)}; at most {NODES_MOST} are allowed.", field="ids"
            )
        return list(await asyncio.gather(*(load_node(info, id_) for id_ in ids)))
