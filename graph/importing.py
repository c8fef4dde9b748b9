"""Importing mail: an operator's act, on the same write path and with the same locks as sending.

What it writes is marked for ever: messages have the provenance IMPORTED, and their senders are identities with
``imported`` set, as which nobody can log in until an operator issues a key. They are never in a broadcast's audience.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from graph.addressing import with_candidates
from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.queries import query
from graph.records import moment
from graph.rules.addresses import AddressKind, parse_address
from graph.rules.importing import (
    ImportedMail,
    PlacedMail,
    Placement,
    StoredMail,
    WaitingMail,
    import_key,
    other_handle,
    place,
)
from graph.rules.limits import MessageLimits
from graph.rules.moments import moments
from graph.rules.readers import reader_tokens
from graph.rules.text import shown
from graph.writing import LOCK, WRITE

TARGET, SENDERS = query("importing/target"), query("importing/senders")
KNOWN, WAITING, ARRIVED = query("importing/known"), query("importing/waiting"), query("importing/arrived")

#: How many Message-IDs, or senders, one transaction asks about.
ASKED_AT_ONCE = 2_000
_HANDLES_TRIED = 5


@dataclass(frozen=True, slots=True)
class KnownMail:
    """A mail that is in the mailbox: its thread and its date."""

    thread: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """What a mailbox holds of some mails: those there by Message-ID, and the thread that waits for one not there."""

    known: Mapping[str, KnownMail]
    awaited: Mapping[str, str]


async def import_target(database: Database, written: str) -> str:
    """Return the address of the mailbox that ``written`` names. Raises Refused (UNKNOWN_ADDRESS) with candidates."""
    address = parse_address(written, "into")
    if address.kind in (AddressKind.SELF, AddressKind.BROADCAST):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"into {shown(written)} is not one mailbox; name the identity that the mail is for, such as '@archive'.",
            field="into",
        )
    if await database.fetch(TARGET, {"address": address.text}):
        return address.text
    unknown = UnknownAddress(address.text, f"Nobody here is known as {shown(address.text)}.", field="into")
    raise await with_candidates(database, unknown)


async def stored_mail(database: Database, mailbox: str, mail_ids: Iterable[str]) -> Stored:
    """Return what the mailbox holds of these mails, in the order the ids sort."""
    known: dict[str, KnownMail] = {}
    awaited: dict[str, str] = {}
    for ids in _slices(sorted(mail_ids)):
        for row in await database.fetch(KNOWN, {"mailbox": mailbox, "ids": ids}):
            known[row["mailId"]] = KnownMail(row["thread"], moment(row["createdAt"]))
        for row in await database.fetch(WAITING, {"mailbox": mailbox, "ids": ids}):
            awaited.setdefault(row["missing"], row["thread"])
    return Stored(known, awaited)


async def imported_senders(database: Database, clock: Clock, names: Mapping[str, str | None]) -> dict[str, str]:
    """Make sure that an imported identity stands for each handle, and return which.

    ``names`` are display names by handle. An identity that is there is not changed. Where somebody was registered here
    under the handle, imported mail is not theirs: another handle stands for the sender, the same at every import.
    """
    standing: dict[str, str] = {}
    handles = {handle: handle for handle in names}
    for attempt in range(_HANDLES_TRIED):
        made = await _made(database, clock, {handles[wanted]: names[wanted] for wanted in handles})
        standing |= {wanted: handle for wanted, handle in handles.items() if made[handle]}
        handles = {wanted: other_handle(wanted, attempt + 1) for wanted, handle in handles.items() if not made[handle]}
        if not handles:
            return standing
    taken = min(handles)
    raise Refused(
        RefusalCode.CONFLICT,
        f"The sender {shown(taken)} of imported mail has no handle left: it and {_HANDLES_TRIED - 1} others that could "
        "stand for it were registered here.",
    )


async def _made(database: Database, clock: Clock, names: Mapping[str, str | None]) -> dict[str, bool]:
    """Create the identities that are not there; return for each whether it is an imported one."""
    now, made = clock.now(), dict[str, bool]()
    # In the order of their names, so that two imports that make the same ones do not wait for each other in a circle.
    for handles in _slices(sorted(names)):
        senders = [{"handle": handle, "displayName": names[handle]} for handle in handles]

        async def work(tx: Transaction, senders: list[dict[str, str | None]] = senders) -> list[Row]:
            return await tx.run(SENDERS, {"senders": senders, "at": now})

        made |= {row["handle"]: row["imported"] for row in await database.write(work)}
    return made


async def add_mail(
    database: Database,
    clock: Clock,
    mailbox: str,
    batch: Sequence[ImportedMail],
    threads: Mapping[str, str],
    limits: MessageLimits,
) -> Placement:
    """Write the mails of a batch that are not in the mailbox, all of them or none, and return what became of each.

    ``threads`` holds the threads of the groups met before. Mails come parents first. Raises DatabaseError.
    """
    now = clock.now()

    async def work(tx: Transaction) -> Placement:
        await _lock(tx, addresses={mailbox, *(mail.sender for mail in batch)}, threads=set())
        placement = place(batch, await _stored(tx, mailbox, batch), await _waiting(tx, mailbox, batch), threads)
        if not placement.placed:
            return placement
        # Threads are known only now; they are locked after the mailboxes, as everybody does.
        await _lock(tx, addresses=set(), threads={row.thread for row in placement.placed if not row.new_thread})
        written = await tx.one(WRITE, {"batch": _parameters(mailbox, placement.placed, now, limits)})
        if written is None or written["messages"] != written["entries"] or written["messages"] != len(placement.placed):
            raise LookupError(f"Of {len(placement.placed)} mails for {mailbox} not all could be written: {written}.")
        for message, parent in placement.arrived:
            await tx.run(ARRIVED, {"waiting": message, "parent": parent})
        return placement

    return await database.write(work)


async def _lock(tx: Transaction, *, addresses: set[str], threads: set[str]) -> None:
    named = {"addresses": sorted(addresses), "threads": sorted(threads)}
    await tx.run(LOCK, {"batch": {**named, "senders": [], "everyone": False, "answered": [], "parents": []}})


async def _stored(tx: Transaction, mailbox: str, batch: Sequence[ImportedMail]) -> dict[str, StoredMail]:
    ids = {mail.mail_id for mail in batch} | {mail.parent_mail for mail in batch if mail.parent_mail is not None}
    rows = await tx.run(KNOWN, {"mailbox": mailbox, "ids": sorted(ids)})
    return {row["mailId"]: StoredMail(row["id"], row["thread"]) for row in rows}


async def _waiting(tx: Transaction, mailbox: str, batch: Sequence[ImportedMail]) -> list[WaitingMail]:
    ids = {mail.mail_id for mail in batch} | {mail.missing_mail for mail in batch if mail.missing_mail is not None}
    rows = await tx.run(WAITING, {"mailbox": mailbox, "ids": sorted(ids)})
    return [WaitingMail(row["id"], row["thread"], row["missing"]) for row in rows]


def _parameters(mailbox: str, placed: Sequence[PlacedMail], now: datetime, limits: MessageLimits) -> dict[str, Any]:
    """Return the parameters of ``writing/write``: what mail from outside cannot have is empty."""
    nothing: dict[str, list[Any]] = {
        name: [] for name in ("concepts", "tickets", "sessions", "memoryReplies", "forks", "tasks")
    }
    return nothing | {
        "now": now,
        "newThreads": [
            {"id": row.thread, "subject": row.mail.subject, "createdAt": row.mail.created_at}
            for row in placed
            if row.new_thread
        ],
        "threadCounts": _thread_counts(placed),
        "messages": [_message(mailbox, row, limits) for row in placed],
        "replies": [{"message": row.mail.id, "parent": row.parent} for row in placed if row.parent is not None],
        "mailboxes": [{"address": mailbox, "entries": [_entry(row, now) for row in placed]}],
    }


def _thread_counts(placed: Sequence[PlacedMail]) -> list[dict[str, Any]]:
    times: dict[str, list[datetime]] = {}
    for row in placed:
        times.setdefault(row.thread, []).append(row.mail.created_at)
    return [{"id": id_, "count": len(found), "lastMessageAt": max(found)} for id_, found in sorted(times.items())]


def _message(mailbox: str, row: PlacedMail, limits: MessageLimits) -> dict[str, Any]:
    mail = row.mail
    nothing: dict[str, list[str]] = {
        name: [] for name in ("broadcasts", "tags", "tickets", "memories", "origin", "related")
    }
    return nothing | {
        "sender": mail.sender,
        "thread": row.thread,
        "properties": {
            "id": mail.id,
            "subject": mail.subject,
            "bodyText": mail.body_text,
            "createdAt": mail.created_at,
            "priority": "NORMAL",
            "kind": "MESSAGE",
            "expectsReply": False,
            "senderClass": "HUMAN",
            "provenance": "IMPORTED",
            "tags": [],
            "readers": reader_tokens(mail.sender, [mailbox]),
            "moments": moments(mail.id),
            "mailId": mail.mail_id,
            "missingParent": row.missing_mail,
        },
        "sentBy": {
            "sender": mail.sender,
            "createdAt": mail.created_at,
            "messageId": mail.id,
            "idempotencyKey": import_key(mailbox, mail.mail_id, limits.idempotency_key_characters),
            "contentHash": mail.digest,
        },
        "addresses": [{"address": mailbox, "kind": "TO"}],
    }


def _entry(row: PlacedMail, now: datetime) -> dict[str, Any]:
    properties = {
        "sender": row.mail.sender,
        "thread": row.thread,
        "folder": "INBOX",
        "unread": True,
        "deliveredAt": now,
        "via": "DIRECT",
        "tags": [],
    }
    return {"message": row.mail.id, "properties": properties, "concepts": []}


def _slices(items: Sequence[str]) -> Iterable[list[str]]:
    pending = iter(items)
    while some := list(islice(pending, ASKED_AT_ONCE)):
        yield some
