"""A recipient's own tags on the entries of his mailbox; the tags that a message was sent with never change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph.clock import Clock
from graph.concepts import meanings
from graph.database import Database, Transaction
from graph.errors import Refused
from graph.queries import query
from graph.records import Delivery, delivery
from graph.rules.limits import MessageLimits
from graph.rules.states import State
from graph.rules.tagging import NewTags, Retag, check_disjoint, check_retag, retagged

ENTRIES, RETAG = query("tagging/entries"), query("tagging/retag")
DELIVERIES, STATE = query("mailbox/deliveries"), query("mailbox/state")


@dataclass(frozen=True, slots=True)
class Tagged:
    """What became of each message that is in the mailbox: its entry as it is now, or why it was left as it was."""

    results: Mapping[str, Delivery | Refused]
    state: State


async def tag(
    database: Database,
    clock: Clock,
    mailbox: str,
    ids: Sequence[str],
    add: Sequence[str],
    remove: Sequence[str],
    limits: MessageLimits,
) -> Tagged:
    """Add and remove tags of the mailbox's entries of these messages; what is not in the mailbox is not answered.

    An alias is the concept that it stands for. Raises Refused with INVALID_INPUT, LIMIT_EXCEEDED or RESERVED_TAG for
    what cannot be meant of any entry; an entry that would have too many tags is refused alone.
    """
    wanted = check_retag(add, remove, limits)
    now = clock.now()

    async def work(tx: Transaction) -> Tagged:
        asked = {"mailbox": mailbox, "ids": list(dict.fromkeys(ids))}
        entries = await tx.run(ENTRIES, asked)
        # Read under the lock: an alias that was defined meanwhile is one.
        meant, names = await _meant(tx, wanted)
        results: dict[str, Delivery | Refused] = {}
        changes: dict[str, NewTags] = {}
        for row in entries:
            try:
                changes[row["message"]] = retagged(row["tags"], meant, names, limits)
            except Refused as refusal:
                results[row["message"]] = refusal
        await _write(tx, mailbox, {id_: change for id_, change in changes.items() if change.changed}, now)
        for entry in map(delivery, await tx.run(DELIVERIES, asked)):
            results.setdefault(entry.message.id, entry)
        (row,) = await tx.run(STATE, {"mailbox": mailbox})
        return Tagged(results, State(row["state"], row["uidNext"]))

    return await database.write(work)


async def _meant(tx: Transaction, wanted: Retag) -> tuple[Retag, Mapping[str, Sequence[str]]]:
    found = await meanings(tx, wanted.add + wanted.remove)
    concepts = dict(zip(wanted.add + wanted.remove, found, strict=True))
    meant = Retag(
        tuple(dict.fromkeys(concepts[name].concept for name in wanted.add)),
        tuple(dict.fromkeys(concepts[name].concept for name in wanted.remove)),
    )
    return check_disjoint(meant), {meaning.concept: meaning.names for meaning in found}


async def _write(tx: Transaction, mailbox: str, changes: Mapping[str, NewTags], now: datetime) -> None:
    if not changes:
        return
    rows = [
        {"message": id_, "tags": change.tags, "added": change.added, "removed": change.removed}
        for id_, change in changes.items()
    ]
    concepts = sorted({tag for change in changes.values() for tag in change.added})
    await tx.run(RETAG, {"mailbox": mailbox, "at": now, "concepts": concepts, "changes": rows})
