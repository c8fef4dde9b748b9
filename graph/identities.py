"""Identities: who can send and be sent to. Each has a mailbox of its own; the handle is the id."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from graph.addressing import with_candidates
from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import DatabaseConflict, RefusalCode, Refused, UnknownAddress
from graph.queries import query
from graph.records import IdentityCard, identity_card
from graph.rules.addresses import check_family, check_handle, check_identity
from graph.rules.limits import MessageLimits
from graph.rules.text import check_text, shown

REGISTER, CARDS, TOUCH = query("identities/register"), query("identities/cards"), query("identities/touch")
ISSUE, SET_STATUS = query("keys/create"), query("identities/set_status")


class IdentityKind(StrEnum):
    """What an identity is. Broadcasts go to agents alone."""

    AGENT = "AGENT"
    HUMAN = "HUMAN"
    SYSTEM = "SYSTEM"


class IdentityStatus(StrEnum):
    """ACTIVE takes part. BENCHED gets no broadcasts. RETIRED sends nothing and is not written to; mail stays."""

    ACTIVE = "ACTIVE"
    BENCHED = "BENCHED"
    RETIRED = "RETIRED"


@dataclass(frozen=True, slots=True)
class NewIdentity:
    """What an operator says of an identity to be."""

    handle: str
    display_name: str | None = None
    kind: IdentityKind = IdentityKind.AGENT
    family: str | None = None


async def register(
    database: Database, clock: Clock, said: NewIdentity, limits: MessageLimits, *, key: Row | None = None
) -> str:
    """Create an identity with an empty mailbox, and with ``key`` (of ``KeyRing.mint``) that too; return the handle.

    Raises Refused with CONFLICT when the handle is taken, INVALID_INPUT or LIMIT_EXCEEDED.
    """
    handle = check_handle(said.handle, "handle")
    name = said.display_name
    if name is not None:
        name = check_text(name, "displayName", characters=limits.display_name_characters)
    family = None if said.family is None else check_family(said.family, "family")
    at = clock.now()
    parameters = {"handle": handle, "displayName": name, "kind": said.kind.value, "family": family, "at": at}

    async def work(tx: Transaction) -> None:
        await tx.run(REGISTER, parameters)
        if key is not None:
            await tx.run(ISSUE, {**key, "handle": handle})

    try:
        await database.write(work)
    except DatabaseConflict as error:
        raise Refused(
            RefusalCode.CONFLICT,
            f"handle {shown(handle)} is taken; choose another, "
            f"or issue a key to it with `heliograph key create {handle}`.",
            field="handle",
        ) from error
    return handle


async def set_status(database: Database, written: str, status: IdentityStatus) -> str:
    """Make an identity active, benched or retired, and return its handle. Raises Refused for an unknown one."""
    handle = check_identity(written, "agent")

    async def work(tx: Transaction) -> Row | None:
        return await tx.one(SET_STATUS, {"handle": handle, "status": status.value})

    if await database.write(work) is None:
        unknown = UnknownAddress(handle, f"Nobody here is known as {shown(handle)}.", field="agent")
        raise await with_candidates(database, unknown)
    return handle


async def identity_cards(database: Database, handles: Iterable[str]) -> dict[str, IdentityCard]:
    """Return the identities of these handles; nothing for a handle that nobody has."""
    rows = await database.fetch(CARDS, {"handles": list(handles)})
    return {card.handle: card for card in map(identity_card, rows)}


async def touch(database: Database, clock: Clock, handle: str) -> None:
    """Note that an identity was here just now."""
    now = clock.now()

    async def work(tx: Transaction) -> None:
        await tx.run(TOUCH, {"handle": handle, "at": now})

    await database.write(work)
