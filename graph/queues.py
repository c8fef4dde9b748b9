"""Queues: roles with one shared mailbox, whose members claim entries by lease, and release or finish them."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix
from graph.queries import Query, query
from graph.readers import Reader
from graph.records import optional_moment
from graph.rules.addresses import parse_address, resolve_self
from graph.rules.claims import QueueEntry, check_claim, check_holder, check_lease
from graph.rules.drafts import check_id
from graph.rules.text import shown

LOCK, ENTRY, NEXT = query("queues/lock"), query("queues/entry"), query("queues/next")
CLAIM, RELEASE, FINISH = query("queues/claim"), query("queues/release"), query("queues/finish")
CLAIMS = query("queues/claims")

#: Unfinished entries that a look for a free one passes at most.
SCAN_MOST = 5_000


@dataclass(frozen=True, slots=True)
class Claim:
    """An entry that is the caller's until ``until``; whoever shows ``token`` may renew, release or finish it."""

    mailbox: str
    message: str
    token: str
    until: datetime


@dataclass(frozen=True, slots=True)
class ClaimState:
    """Who holds an entry of a queue, until when; who finished it, and when."""

    by: str
    until: datetime | None
    finished_at: datetime | None


async def claim(
    database: Database, clock: Clock, reader: Reader, mailbox: str, message: str | None, lease_seconds: int
) -> Claim:
    """Claim an entry of a queue that the reader is a member of: that of ``message``, or the oldest free one.

    Claiming again what one holds gives a new token. Raises Refused with NOT_FOUND (for what the reader may not see,
    and, retryable, where nothing is free), FORBIDDEN for one who may only read, CONFLICT for what another holds.
    """
    address = queue_of(reader, mailbox)
    wanted = None if message is None else check_id(message, Prefix.MESSAGE, "id")
    now = clock.now()
    until, token = now + timedelta(seconds=check_lease(lease_seconds)), secrets.token_urlsafe(16)

    async def work(tx: Transaction) -> Claim:
        await _lock(tx, address, reader.handle)
        chosen = wanted or await _next(tx, address, now)
        check_claim(await _entry(tx, address, chosen), reader.handle, now)
        given = {"mailbox": address, "message": chosen, "agent": reader.handle, "token": token, "until": until}
        await tx.run(CLAIM, given)
        return Claim(address, chosen, token, until)

    return await database.write(work)


async def renew(
    database: Database, clock: Clock, reader: Reader, mailbox: str, message: str, token: str, lease_seconds: int
) -> Claim:
    """Prolong a claim from now on. Raises Refused with STALE_OWNER when it is not the present one."""
    until = clock.now() + timedelta(seconds=check_lease(lease_seconds))
    parameters = {"agent": reader.handle, "token": token, "until": until}
    address = await _holding(database, reader, mailbox, message, token, CLAIM, parameters)
    return Claim(address, message, token, until)


async def release(database: Database, reader: Reader, mailbox: str, message: str, token: str) -> str:
    """Give a claimed entry back, free for anyone, and return the queue's address. Raises as ``renew``."""
    return await _holding(database, reader, mailbox, message, token, RELEASE, {})


async def finish(database: Database, clock: Clock, reader: Reader, mailbox: str, message: str, token: str) -> str:
    """Finish a claimed entry: it is read and never claimed again. Return the queue's address. Raises as ``renew``."""
    return await _holding(database, reader, mailbox, message, token, FINISH, {"at": clock.now()})


async def claim_states(database: Database, entries: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ClaimState]:
    """Return how entries stand, by (queue, message); nothing for one that nobody claimed."""
    rows = await database.fetch(CLAIMS, {"entries": [list(entry) for entry in entries]})
    return {
        (row["mailbox"], row["message"]): ClaimState(
            row["claimedBy"], optional_moment(row["claimedUntil"]), optional_moment(row["finishedAt"])
        )
        for row in rows
    }


def queue_of(reader: Reader, written: str) -> str:
    """Return the address of a mailbox that is open to the reader. Raises Refused with NOT_FOUND for any other."""
    address = resolve_self(parse_address(written, "mailbox"), reader.handle)
    if address not in reader.mailboxes:
        raise Refused(
            RefusalCode.NOT_FOUND, f"mailbox {shown(written)} is not a queue that is open to you.", field="mailbox"
        )
    return address


async def _holding(
    database: Database, reader: Reader, mailbox: str, message: str, token: str, write: Query, said: Row
) -> str:
    """Write to an entry whose present claim ``token`` is, under the queue's lock; return the queue's address."""
    address, chosen = queue_of(reader, mailbox), check_id(message, Prefix.MESSAGE, "id")

    async def work(tx: Transaction) -> None:
        await _lock(tx, address, reader.handle)
        check_holder(await _entry(tx, address, chosen), reader.handle, token)
        await tx.run(write, {"mailbox": address, "message": chosen, **said})

    await database.write(work)
    return address


async def _lock(tx: Transaction, mailbox: str, agent: str) -> None:
    row = await tx.one(LOCK, {"mailbox": mailbox, "agent": agent})
    if row is None:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"mailbox {shown(mailbox)} is no queue; its entries are not claimed.",
            field="mailbox",
        )
    if not row["member"]:
        raise Refused(
            RefusalCode.FORBIDDEN,
            f"mailbox {shown(mailbox)} is open to you for reading; only members claim.",
            field="mailbox",
        )


async def _next(tx: Transaction, mailbox: str, now: datetime) -> str:
    row = await tx.one(NEXT, {"mailbox": mailbox, "at": now, "window": SCAN_MOST})
    if row is None:
        raise Refused(
            RefusalCode.NOT_FOUND,
            f"Nothing in {mailbox} is free to claim; ask again when mail came or a lease ended.",
            field="mailbox",
            retryable=True,
        )
    message: str = row["message"]
    return message


async def _entry(tx: Transaction, mailbox: str, message: str) -> QueueEntry:
    row = await tx.one(ENTRY, {"mailbox": mailbox, "message": message})
    if row is None:
        raise Refused(RefusalCode.NOT_FOUND, f"id {shown(message)} is not a message in {mailbox}.", field="id")
    return QueueEntry(
        row["message"],
        row["claimedBy"],
        optional_moment(row["claimedUntil"]),
        row["claimToken"],
        optional_moment(row["finishedAt"]),
    )
