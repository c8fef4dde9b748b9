"""Roles: addresses that stand for whoever holds them. EACH copies to every member, QUEUE keeps one shared mailbox."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from graph.addressing import with_candidates
from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import DatabaseConflict, RefusalCode, Refused, UnknownAddress
from graph.queries import query
from graph.records import Page, moment
from graph.rules.addresses import AddressKind, check_identity, parse_address
from graph.rules.limits import MessageLimits
from graph.rules.rights import RoleDelivery
from graph.rules.text import check_text, shown

CREATE, CARDS, LIST = query("roles/create"), query("roles/cards"), query("roles/list")
ADD, REMOVE, MEMBERS = query("roles/add_member"), query("roles/remove_member"), query("roles/members")
IDENTITY = query("identities/cards")


@dataclass(frozen=True, slots=True)
class RoleCard:
    """A role as the directory shows it."""

    address: str
    description: str | None
    delivery: RoleDelivery
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewRole:
    """What an operator says of a role to be."""

    address: str
    description: str | None = None
    delivery: RoleDelivery = RoleDelivery.EACH


async def create_role(database: Database, clock: Clock, said: NewRole, limits: MessageLimits) -> str:
    """Create a role without members and return its address.

    Raises Refused with CONFLICT when it exists, INVALID_INPUT or LIMIT_EXCEEDED.
    """
    address = role_address(said.address, "address")
    description = said.description
    if description is not None:
        description = check_text(description, "description", characters=limits.description_characters)
    parameters = {"address": address, "description": description, "delivery": said.delivery.value, "at": clock.now()}

    async def work(tx: Transaction) -> None:
        await tx.run(CREATE, parameters)

    try:
        await database.write(work)
    except DatabaseConflict as error:
        raise Refused(
            RefusalCode.CONFLICT, f"address {shown(address)} is a role already; choose another.", field="address"
        ) from error
    return address


async def add_member(database: Database, clock: Clock, role: str, agent: str) -> str:
    """Make an identity a member, from the next send and the next request on; return the role's address.

    Raises Refused with UNKNOWN_ADDRESS for a role or an identity that is not there.
    """
    address, handle = role_address(role, "role"), check_identity(agent, "agent")
    now = clock.now()

    async def work(tx: Transaction) -> Row | None:
        return await tx.one(ADD, {"role": address, "agent": handle, "at": now})

    if await database.write(work) is None:
        if not await role_cards(database, [address]):
            raise await _no_role(database, address)
        unknown = UnknownAddress(handle, f"Nobody here is known as {shown(handle)}.", field="agent")
        raise await with_candidates(database, unknown)
    return address


async def remove_member(database: Database, role: str, agent: str) -> str:
    """End a membership, if there is one, and return the role's address. Raises Refused for an unknown role."""
    address, handle = role_address(role, "role"), check_identity(agent, "agent")

    async def work(tx: Transaction) -> Row | None:
        return await tx.one(REMOVE, {"role": address, "agent": handle})

    if await database.write(work) is None:
        raise await _no_role(database, address)
    return address


async def role_cards(database: Database, addresses: Iterable[str]) -> dict[str, RoleCard]:
    """Return the roles of these addresses; nothing for one that is not there."""
    rows = await database.fetch(CARDS, {"addresses": list(addresses)})
    return {row["address"]: _card(row) for row in rows}


async def roles(database: Database, first: int, after: str | None) -> Page[RoleCard, str]:
    """Return a page of the roles, by address."""
    cards = [_card(row) for row in await database.fetch(LIST, {"after": after or "", "limit": first + 1})]
    items = tuple(cards[:first])
    return Page(items, len(cards) > first, items[-1].address if items else None)


async def role_members(database: Database, addresses: Iterable[str]) -> dict[str, list[str]]:
    """Return the handles of who holds each role, sorted."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in await database.fetch(MEMBERS, {"addresses": list(addresses)}):
        found[row["role"]].append(row["handle"])
    return found


def role_address(written: str, field: str) -> str:
    """Return the address of a role, ``role:`` added where only the name was written. Raises Refused."""
    address = parse_address(written if ":" in written or written.startswith("@") else f"role:{written}", field)
    if address.kind is not AddressKind.ROLE:
        raise Refused(
            RefusalCode.INVALID_INPUT, f"{field} {shown(written)} is not a role; write 'role:reviewer'.", field=field
        )
    return address.text


async def _no_role(database: Database, address: str) -> UnknownAddress:
    unknown = UnknownAddress(address, f"There is no role {shown(address)}.", field="role")
    return await with_candidates(database, unknown)


def _card(row: Row) -> RoleCard:
    return RoleCard(row["address"], row["description"], RoleDelivery(row["delivery"]), moment(row["createdAt"]))
