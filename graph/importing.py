"""Importing mail: an operator's act, on the same write path and with the same locks as sending.

What it writes is marked for ever: messages have the provenance IMPORTED, and their senders are identities with
``imported`` set, as which nobody can log in until an operator issues a key. They are never in a broadcast's audience.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from graph.addressing import with_candidates
from graph.batches import Written, write
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
from graph.rules.planning import Via
from graph.rules.text import shown
from graph.writing import LOCK

TARGET, SENDERS = query("importing/target"), query("importing/senders")
KNOWN, WAITING = query("importing/known"), query("importing/waiting")
ARRIVED, FORKED, READ = query("importing/arrived"), query("importing/forked"), query("importing/read")

#: How many Message-IDs, or senders, one transaction asks about.
ASKED_AT_ONCE = 2_000
_HANDLES_TRIED = 5


@dataclass(frozen=True, slots=True)
class KnownMail:
    """A mail that is in the mailbox: its thread, its date, and the hash of what was imported."""

    thread: str
    created_at: datetime
    content_hash: str | None


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
            known[row["mailId"]] = KnownMail(row["thread"], moment(row["createdAt"]), row["contentHash"])
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
        await lock_import(tx, addresses={mailbox, *(mail.sender for mail in batch)})
        placement = place(batch, await _stored(tx, mailbox, batch), await _waiting(tx, mailbox, batch), threads)
        if not placement.placed:
            return placement
        # Threads are known only now; they are locked after the mailboxes, as everybody does.
        await lock_import(tx, threads=placement.changed_threads)
        await write(tx, [_written(mailbox, row, now, limits) for row in placement.placed], now)
        read = [row.mail.id for row in placement.placed if row.mail.read]
        if read:
            await tx.run(READ, {"mailboxes": [{"address": mailbox, "messages": read}], "at": now})
        await reunite(tx, placement)
        return placement

    return await database.write(work)


async def reunite(tx: Transaction, placement: Placement) -> None:
    """Put those who waited under what came: in their own thread, or else as forks off the thread it went to."""
    for message, parent in placement.arrived:
        await tx.run(ARRIVED, {"waiting": message, "parent": parent})
    for fork in placement.forked:
        await tx.run(FORKED, {"waiting": fork.message, "parent": fork.parent})


async def lock_import(
    tx: Transaction,
    *,
    addresses: Collection[str] = (),
    threads: Collection[str] = (),
    tags: Collection[str] = (),
) -> Mapping[str, str]:
    """Lock what an import touches, as every writer does: mailboxes first, and in a second call threads.

    Returns the concepts of those ``tags`` that are aliases.
    """
    nothing: dict[str, list[str]] = {name: [] for name in ("senders", "answered", "parents")}
    named = {"addresses": sorted(addresses), "threads": sorted(threads), "tags": sorted(tags), "everyone": False}
    (row,) = await tx.run(LOCK, {"batch": {**nothing, **named}})
    return dict(row["aliases"])


async def _stored(tx: Transaction, mailbox: str, batch: Sequence[ImportedMail]) -> dict[str, StoredMail]:
    ids = {mail.mail_id for mail in batch} | {mail.parent_mail for mail in batch if mail.parent_mail is not None}
    rows = await tx.run(KNOWN, {"mailbox": mailbox, "ids": sorted(ids)})
    return {row["mailId"]: StoredMail(row["id"], row["thread"]) for row in rows}


async def _waiting(tx: Transaction, mailbox: str, batch: Sequence[ImportedMail]) -> list[WaitingMail]:
    ids = {mail.mail_id for mail in batch} | {mail.missing_mail for mail in batch if mail.missing_mail is not None}
    rows = await tx.run(WAITING, {"mailbox": mailbox, "ids": sorted(ids)})
    return [WaitingMail(row["id"], row["thread"], row["missing"], row["placed"]) for row in rows]


def _written(mailbox: str, row: PlacedMail, now: datetime, limits: MessageLimits) -> Written:
    mail = row.mail
    return Written(
        id=mail.id,
        sender=mail.sender,
        sender_class="HUMAN",
        subject=mail.subject,
        body_text=mail.body_text,
        created_at=mail.created_at,
        delivered_at=now,
        thread=row.thread,
        new_thread=row.new_thread,
        to=(mailbox,),
        deliveries=((mailbox, Via.DIRECT),),
        provenance="IMPORTED",
        idempotency_key=import_key(mailbox, mail.mail_id, limits.idempotency_key_characters),
        content_hash=mail.digest,
        parent=row.parent,
        mail_id=mail.mail_id,
        missing_parent=row.missing_mail,
    )


def _slices(items: Sequence[str]) -> Iterable[list[str]]:
    pending = iter(items)
    while some := list(islice(pending, ASKED_AT_ONCE)):
        yield some
