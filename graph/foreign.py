"""Importing messages of another system, each to all of its recipients: an operator's act, like importing mail.

A message is known by its name there, which it keeps as ``mailId``; messages have the provenance IMPORTED for ever.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.batches import Written, write
from graph.clock import Clock
from graph.database import Database, Transaction
from graph.importing import READ, SENDERS, lock_import, reunite
from graph.queries import query
from graph.rules.drafts import Priority
from graph.rules.importing import (
    ImportedMail,
    PlacedMail,
    Placement,
    StoredMail,
    WaitingMail,
    foreign_key,
    place,
)
from graph.rules.limits import MessageLimits
from graph.rules.planning import Via
from graph.rules.tags import concepts_of

PEOPLE = query("importing/people")
FOREIGN, WAITING = query("importing/foreign"), query("importing/foreign_waiting")


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """A message as it is to be written. ``mail.mail_id`` is its name in the other system, with that system's.

    ``read`` are those of its recipients who have read it.
    """

    mail: ImportedMail
    to: tuple[str, ...]
    cc: tuple[str, ...]
    tags: tuple[str, ...]
    priority: Priority
    expects_reply: bool
    read: frozenset[str]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a batch. ``changed`` are the names of those that are here with other content, and stay so."""

    placement: Placement
    entries: int
    changed: frozenset[str]


async def known_people(database: Database, handles: Collection[str]) -> dict[str, str]:
    """Return the kind of each of these handles that is an identity here."""
    rows = await database.fetch(PEOPLE, {"handles": sorted(handles)})
    return {row["handle"]: row["kind"] for row in rows}


async def create_people(database: Database, clock: Clock, handles: Collection[str]) -> None:
    """Create identities that are marked as imported, and leave those that are there as they are."""
    senders = [{"handle": handle, "displayName": None} for handle in sorted(handles)]
    now = clock.now()

    async def work(tx: Transaction) -> None:
        await tx.run(SENDERS, {"senders": senders, "at": now})

    await database.write(work)


async def add_foreign(
    database: Database,
    clock: Clock,
    batch: Sequence[ForeignMessage],
    threads: Mapping[str, str],
    kinds: Mapping[str, str],
    limits: MessageLimits,
) -> Added:
    """Write the messages of a batch that are not here, all of them or none, and return what became of each.

    ``threads`` holds the threads of the groups met before, ``kinds`` the kind of each sender. Of two messages of a
    batch the one that is answered comes first. Every handle is an identity here. Raises DatabaseError.
    """
    now = clock.now()
    said = {message.mail.mail_id: message for message in batch}
    mails = [message.mail for message in batch]
    addresses = {handle for message in batch for handle in (message.mail.sender, *message.to, *message.cc)}

    async def work(tx: Transaction) -> Added:
        aliases = await lock_import(tx, addresses=addresses, tags={tag for message in batch for tag in message.tags})
        ids = sorted({id_ for mail in mails for id_ in (mail.mail_id, mail.parent_mail) if id_ is not None})
        rows = await tx.run(FOREIGN, {"ids": ids})
        stored = {row["mailId"]: StoredMail(row["id"], row["thread"]) for row in rows}
        hashes = {row["mailId"]: row["contentHash"] for row in rows}
        waiting = [
            WaitingMail(row["id"], row["thread"], row["missing"], row["placed"])
            for row in await tx.run(WAITING, {"ids": ids})
        ]
        placement = place(mails, stored, waiting, threads)
        changed = frozenset(mail.mail_id for mail in placement.present if hashes[mail.mail_id] != mail.digest)
        if not placement.placed:
            return Added(placement, 0, changed)
        # Threads are known only now; they are locked after the mailboxes, as everybody does.
        await lock_import(tx, threads=placement.changed_threads)
        placed = [(row, said[row.mail.mail_id]) for row in placement.placed]
        written = [
            _written(row, message, concepts_of(message.tags, aliases), kinds[row.mail.sender], now, limits)
            for row, message in placed
        ]
        await write(tx, written, now)
        entries = sum(len(message.deliveries) for message in written)
        read = _read(placed)
        if read:
            await tx.run(READ, {"mailboxes": read, "at": now})
        await reunite(tx, placement)
        return Added(placement, entries, changed)

    return await database.write(work)


Placed = Sequence[tuple[PlacedMail, ForeignMessage]]


def _written(
    row: PlacedMail,
    message: ForeignMessage,
    tags: tuple[str, ...],
    sender_class: str,
    now: datetime,
    limits: MessageLimits,
) -> Written:
    mail = row.mail
    return Written(
        id=mail.id,
        sender=mail.sender,
        sender_class=sender_class,
        subject=mail.subject,
        body_text=mail.body_text,
        created_at=mail.created_at,
        delivered_at=now,
        thread=row.thread,
        new_thread=row.new_thread,
        to=message.to,
        cc=message.cc,
        deliveries=[(handle, Via.DIRECT) for handle in (*message.to, *message.cc)],
        provenance="IMPORTED",
        idempotency_key=foreign_key(mail.mail_id, limits.idempotency_key_characters),
        content_hash=mail.digest,
        priority=message.priority.value,
        expects_reply=message.expects_reply,
        tags=tags,
        parent=row.parent,
        mail_id=mail.mail_id,
        missing_parent=row.missing_mail,
    )


def _read(placed: Placed) -> list[dict[str, Any]]:
    groups: dict[str, list[str]] = {}
    for row, message in placed:
        for handle in message.read:
            groups.setdefault(handle, []).append(row.mail.id)
    return [{"address": address, "messages": ids} for address, ids in sorted(groups.items())]
