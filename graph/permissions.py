"""Permissions: what an identity allows others, as edges from the one who may to the one who allowed it (ORIGIN §3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.addressing import with_candidates
from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.queries import Query, query
from graph.records import Page, moment
from graph.roles import role_cards
from graph.rules.addresses import AddressKind, check_identity, parse_address
from graph.rules.rights import Permission, ReplyPolicy, RoleDelivery
from graph.rules.text import shown

GRANT, REVOKE = query("rights/grant"), query("rights/revoke")
BLOCK, UNBLOCK = query("rights/block"), query("rights/unblock")
ALLOWED_BY, ALLOWED_TO = query("rights/allowed_by"), query("rights/allowed_to")
REPLY_POLICY, SET_REPLY_POLICY = query("rights/reply_policy"), query("rights/set_reply_policy")

#: The relationship by which somebody is kept out.
BLOCKED = "BLOCKED_BY"


@dataclass(frozen=True, slots=True)
class Right:
    """One edge: ``agent`` may, or may not, do what ``type`` says with ``mailbox``."""

    agent: str
    type: str
    mailbox: str
    since: datetime


async def grant(database: Database, clock: Clock, mailbox: str, agent: str, permission: Permission) -> Right:
    """Allow ``agent`` something with ``mailbox``; asked again, the first time stays. Raises Refused."""
    handle = _other(agent, mailbox)
    if permission is Permission.CAN_READ_INBOX_OF and mailbox.startswith("role:"):
        await _check_queue(database, mailbox)
    parameters = {"agent": handle, "mailbox": mailbox, "permission": permission.value, "at": clock.now()}
    return await _written(database, GRANT, parameters, permission.value)


async def revoke(database: Database, mailbox: str, agent: str, permission: Permission) -> bool:
    """Take a permission back from the next request on, and return whether there was one. Raises Refused."""
    parameters = {"agent": _other(agent, mailbox), "mailbox": mailbox, "permission": permission.value}
    return bool((await _done(database, REVOKE, parameters))["revoked"])


async def block(database: Database, clock: Clock, mailbox: str, agent: str) -> Right:
    """Keep mail of ``agent`` out of ``mailbox``, whatever it was granted. What it sent before stays. Raises Refused."""
    parameters = {"agent": _other(agent, mailbox), "mailbox": mailbox, "at": clock.now()}
    return await _written(database, BLOCK, parameters, BLOCKED)


async def unblock(database: Database, mailbox: str, agent: str) -> bool:
    """Lift a block, and return whether there was one; grants from before it count again. Raises Refused."""
    return bool((await _done(database, UNBLOCK, {"agent": _other(agent, mailbox), "mailbox": mailbox}))["lifted"])


async def rights_given(
    database: Database, mailbox: str, types: Iterable[str], first: int, after: tuple[str, str] | None
) -> Page[Right, tuple[str, str]]:
    """Return what a mailbox allows and forbids others, by who it is, past the pair (agent, type) ``after``."""
    agent, type_ = after or ("", "")
    parameters = {"mailbox": mailbox, "types": list(types), "afterAgent": agent, "afterType": type_, "limit": first + 1}
    rights = [_right(row) for row in await database.fetch(ALLOWED_BY, parameters)]
    items = tuple(rights[:first])
    return Page(items, len(rights) > first, (items[-1].agent, items[-1].type) if items else None)


async def rights_held(
    database: Database, agent: str, first: int, after: tuple[str, str] | None
) -> Page[Right, tuple[str, str]]:
    """Return what others allow an identity, by whose mailbox it is, past the pair (mailbox, type) ``after``."""
    mailbox, type_ = after or ("", "")
    parameters = {"agent": agent, "afterMailbox": mailbox, "afterType": type_, "limit": first + 1}
    rights = [_right(row) for row in await database.fetch(ALLOWED_TO, parameters)]
    items = tuple(rights[:first])
    return Page(items, len(rights) > first, (items[-1].mailbox, items[-1].type) if items else None)


async def reply_policy(database: Database) -> ReplyPolicy:
    """Return to whom identities may write directly; OPEN while nobody has said."""
    rows = await database.fetch(REPLY_POLICY)
    return ReplyPolicy(rows[0]["replyPolicy"]) if rows else ReplyPolicy.OPEN


async def set_reply_policy(database: Database, clock: Clock, policy: ReplyPolicy) -> ReplyPolicy:
    """Set the policy for every process on this graph, from the next send on."""
    await _done(database, SET_REPLY_POLICY, {"policy": policy.value, "at": clock.now()})
    return policy


async def _check_queue(database: Database, role: str) -> None:
    card = (await role_cards(database, [role])).get(role)
    if card is not None and card.delivery is not RoleDelivery.QUEUE:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"mailbox {shown(role)} copies to each member and has no inbox to read; make the agent a member instead.",
            field="mailbox",
        )


def _other(written: str, mailbox: str) -> str:
    """Return the handle that ``written`` names. Raises Refused unless it is one identity, and not the owner."""
    # Oneself by that name is the owner too, or, for a role's mailbox, nobody in particular.
    handle = mailbox if parse_address(written, "agent").kind is AddressKind.SELF else check_identity(written, "agent")
    if handle == mailbox:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"agent {shown(written)} is the owner of the mailbox; name somebody else.",
            field="agent",
        )
    return handle


async def _written(database: Database, query_: Query, parameters: dict[str, Any], type_: str) -> Right:
    async def work(tx: Transaction) -> Row | None:
        return await tx.one(query_, parameters)

    row = await database.write(work)
    if row is None:
        agent = parameters["agent"]
        unknown = UnknownAddress(agent, f"Nobody here is known as {shown(agent)}.", field="agent")
        raise await with_candidates(database, unknown)
    return _right({**row, "type": type_})


async def _done(database: Database, query_: Query, parameters: dict[str, Any]) -> Row:
    async def work(tx: Transaction) -> Row:
        (row,) = await tx.run(query_, parameters)
        return row

    return await database.write(work)


def _right(row: Row) -> Right:
    return Right(row["agent"], row["type"], row["mailbox"], moment(row["since"]))
