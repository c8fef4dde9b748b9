"""Marking mailbox entries: read, unread, archived, back from the archive, and seen (DESIGN §3.4).

Every entry that a mark changes is one change of the mailbox; what is so already does not change. The first ``readAt``
stays for ever. ``archivedAt`` says that an entry is archived, and since when, so it goes when it comes back. Being
seen is no change: it moves no state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.mailbox import TOP
from graph.queries import query
from graph.records import Delivery, delivery
from graph.rules.marking import ARCHIVE, INBOX, Change, Entry, Mark, changed, selected
from graph.rules.states import Position, State, check_reached, check_unchanged

LOCK, STATE, DELIVERIES = query("mailbox/lock"), query("mailbox/state"), query("mailbox/deliveries")
ENTRIES, WRITE = query("marking/entries"), query("marking/write")
UNREAD_WINDOW, FOLDER_WINDOW = query("marking/unread_window"), query("marking/folder_window")
SEEN, UNSEEN = query("marking/seen"), query("marking/unseen")

#: Entries that one transaction of a mark up to a state looks at, so that the mailbox is never locked for long.
WINDOW = 1000
#: Of the entries that a mark up to a state changed, this many are answered; the counts tell of the rest.
RESULTS_MOST = 500
#: Entries of one statement that notes them as seen.
SEEN_MOST = 500


@dataclass(frozen=True, slots=True)
class Marked:
    """What a mark did. ``entries``, by message id, are as they are now: those named, or the first that changed.

    ``matched`` counts the entries that the mark was about: those named that are there, or those up to the state that
    were not so marked yet, of which ``withheld`` were never shown and so left as they are.
    """

    entries: dict[str, Delivery]
    state: State
    matched: int
    changed: int
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class UpTo:
    """Everything up to a state: of it only what the owner was shown, unless ``include_unseen``."""

    state: State
    include_unseen: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    """What one transaction of a mark up to a state did; ``last`` is the uid it came to, None at the end."""

    entries: dict[str, Delivery]
    position: Position
    changed: int
    withheld: int
    last: int | None


async def mark(
    database: Database, clock: Clock, mailbox: str, how: Mark, ids: Sequence[str], if_in_state: State | None = None
) -> Marked:
    """Mark the entries of these messages. What is not in the mailbox is not answered.

    Raises Refused with STATE_MISMATCH when the mailbox is not in the state named.
    """
    now = clock.now()
    asked = {"mailbox": mailbox, "ids": list(dict.fromkeys(ids))}

    async def work(tx: Transaction) -> Marked:
        check_unchanged(if_in_state, await lock(tx, mailbox), "ifInState")
        changes = changed([_entry(row) for row in await tx.run(ENTRIES, asked)], how)
        await _write(tx, mailbox, how, changes, now)
        entries = await _deliveries(tx, mailbox, asked["ids"])
        return Marked(entries, (await _position(tx, mailbox)).state, len(entries), len(changes))

    return await database.write(work)


async def mark_up_to(
    database: Database, clock: Clock, mailbox: str, how: Mark, what: UpTo, if_in_state: State | None = None
) -> Marked:
    """Mark what has not changed after a state, oldest first, in transactions of bounded size.

    An entry that changed since the state is left alone: whoever named the state has not seen it as it is. Raises
    Refused with STATE_MISMATCH or STATE_AHEAD before anything is changed. After a failure on the way, what was marked
    stays marked, and the same call goes on.
    """
    now = clock.now()
    entries: dict[str, Delivery] = {}
    count = withheld = after = 0
    below: int | None = None
    while True:

        async def work(
            tx: Transaction, after: int = after, below: int | None = below, room: int = RESULTS_MOST - len(entries)
        ) -> _Step:
            position = await lock(tx, mailbox)
            if below is None:
                check_unchanged(if_in_state, position, "ifInState")
                check_reached(what.state, position, "upTo")
            found = await _window(tx, mailbox, how, after, below or TOP)
            chosen = selected(found, how, what.state.modseq, include_unseen=what.include_unseen)
            await _write(tx, mailbox, how, chosen.changes, now)
            answered = await _deliveries(tx, mailbox, [change.after.message for change in chosen.changes[:room]])
            last = found[-1].uid if len(found) == WINDOW else None
            return _Step(answered, await _position(tx, mailbox), len(chosen.changes), chosen.withheld, last)

        step = await database.write(work)
        entries |= step.entries
        count, withheld = count + step.changed, withheld + step.withheld
        if step.last is None:
            return Marked(entries, step.position.state, count + withheld, count, withheld)
        # What arrives while this goes on is not looked at: it is after the state.
        after, below = step.last, below or step.position.uid_next


async def mark_read(database: Database, clock: Clock, mailbox: str, ids: Sequence[str]) -> Marked:
    """Mark the entries of these messages as read; the first time stays."""
    return await mark(database, clock, mailbox, Mark.READ, ids)


async def note_seen(database: Database, mailbox: str, shown: Mapping[str, datetime]) -> None:
    """Note when a mailbox's owner was shown these messages, for those in it that he was not shown before."""
    for start in range(0, len(shown), SEEN_MOST):
        ids = list(islice(shown, start, start + SEEN_MOST))
        rows = await database.fetch(UNSEEN, {"mailbox": mailbox, "ids": ids})
        unseen = [{"message": row["message"], "at": shown[row["message"]]} for row in rows]
        if unseen:

            async def work(tx: Transaction, unseen: list[Row] = unseen) -> None:
                await tx.run(SEEN, {"mailbox": mailbox, "shown": unseen})

            await database.write(work)


async def lock(tx: Transaction, mailbox: str) -> Position:
    """Hold a mailbox until the transaction ends, and return how far it is."""
    (row,) = await tx.run(LOCK, {"mailbox": mailbox})
    return Position(row["state"], row["uidNext"], row["floor"])


async def _position(tx: Transaction, mailbox: str) -> Position:
    (row,) = await tx.run(STATE, {"mailbox": mailbox})
    return Position(row["state"], row["uidNext"], row["floor"])


async def _window(tx: Transaction, mailbox: str, how: Mark, after: int, below: int) -> list[Entry]:
    asked = {"mailbox": mailbox, "after": after, "below": below, "limit": WINDOW}
    if how is Mark.READ:
        return [_entry(row) for row in await tx.run(UNREAD_WINDOW, asked)]
    folder = ARCHIVE if how is Mark.UNARCHIVE else INBOX
    return [_entry(row) for row in await tx.run(FOLDER_WINDOW, {**asked, "folder": folder})]


async def _write(tx: Transaction, mailbox: str, how: Mark, changes: Sequence[Change], now: datetime) -> None:
    if not changes:
        return
    entries = [
        {"message": entry.message, "folder": entry.folder, "unread": True if entry.unread else None}
        for entry in (change.after for change in changes)
    ]
    await tx.run(
        WRITE,
        {
            "mailbox": mailbox,
            "entries": entries,
            "unreadBy": sum(change.unread_by for change in changes),
            "readAt": now if how is Mark.READ else None,
            "at": now,
        },
    )


async def _deliveries(tx: Transaction, mailbox: str, ids: Sequence[str]) -> dict[str, Delivery]:
    rows = await tx.run(DELIVERIES, {"mailbox": mailbox, "ids": list(ids)}) if ids else []
    return {entry.message.id: entry for entry in map(delivery, rows)}


def _entry(row: Row) -> Entry:
    return Entry(row["message"], row["uid"], row["modseq"], row["folder"], row["unread"], row["seen"])
