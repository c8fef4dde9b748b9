"""Tasks that messages carry: looking at them, moving them as one of their parties, and ending those whose time is over.

A transition is a compare-and-set under a lock of the task, and leaves one event, which never changes (DESIGN §4).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id
from graph.queries import query
from graph.readers import Reader
from graph.records import Page, moment, optional_moment
from graph.rules.drafts import check_id
from graph.rules.limits import MessageLimits
from graph.rules.tasks import OPEN, SYSTEM, Actor, Change, Standing, TaskState, decide, past_due
from graph.rules.text import check_text, shown
from graph.scanning import LAST_ID, SCAN_MOST, SCAN_WINDOW

CARDS, OF_MESSAGES, EVENTS = query("tasks/cards"), query("tasks/of_messages"), query("tasks/events")
OF_ASSIGNEE, OF_ORIGINATOR = query("tasks/of_assignee"), query("tasks/of_originator")
UNCLAIMED = query("tasks/unclaimed")
HOLD, LOCK, DUE, CHANGE = query("tasks/hold"), query("tasks/lock"), query("tasks/due"), query("tasks/change")

#: So many tasks the sweep ends in one transaction.
SWEPT_AT_ONCE = 200


class TaskRole(StrEnum):
    """What the caller is to the tasks of a list."""

    ASSIGNEE = "ASSIGNEE"
    ORIGINATOR = "ORIGINATOR"
    CLAIMABLE = "CLAIMABLE"


@dataclass(frozen=True, slots=True)
class TaskCard:
    """A task; ``message`` is the id of the one that carries it. ``version`` counts its transitions."""

    id: str
    message: str
    state: TaskState
    originator: str
    assignee: str | None
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """One transition, by a handle or by SYSTEM; ``seq`` counts from 1 in each task."""

    seq: int
    before: TaskState
    after: TaskState
    by: str
    at: datetime
    note: str | None


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks of the caller to list; no ``states`` means all of them."""

    role: TaskRole = TaskRole.ASSIGNEE
    states: tuple[TaskState, ...] = ()


async def task_cards(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, TaskCard]:
    """Return the tasks of these ids whose messages ``reader`` may see."""
    wanted = [id_ for id_ in ids if is_id(id_, Prefix.TASK)]
    rows = await database.fetch(CARDS, {"ids": wanted, **reader.parameters}) if wanted else []
    return {row["id"]: _card(row) for row in rows}


async def tasks_of_messages(database: Database, ids: Sequence[str]) -> dict[str, TaskCard]:
    """Return the task of each message that carries one, by the message's id."""
    return {row["message"]: _card(row) for row in await database.fetch(OF_MESSAGES, {"ids": list(ids)})}


async def task_events(
    database: Database, ids: Sequence[str], first: int, after: int
) -> dict[str, Page[TaskEvent, int]]:
    """Return for each task a page of its events past the seq ``after``, oldest first."""
    found: dict[str, list[TaskEvent]] = {id_: [] for id_ in ids}
    for row in await database.fetch(EVENTS, {"ids": list(ids), "after": after, "limit": first + 1}):
        found[row["task"]].append(_event(row))
    return {
        id_: Page(tuple(events[:first]), len(events) > first, events[:first][-1].seq if events else None)
        for id_, events in found.items()
    }


async def tasks(
    database: Database, reader: Reader, chosen: TaskFilter, first: int, before: str | None
) -> Page[TaskCard, str]:
    """Return up to ``first`` tasks of the caller with an id below ``before``, newest first."""
    if chosen.role is TaskRole.CLAIMABLE:
        return await _claimable(database, reader, chosen, first, before)
    rows = await database.fetch(
        OF_ASSIGNEE if chosen.role is TaskRole.ASSIGNEE else OF_ORIGINATOR,
        {
            "handle": reader.handle,
            "states": sorted(set(chosen.states or TaskState)),
            "before": before or LAST_ID,
            "limit": first + 1,
        },
    )
    cards = tuple(_card(row) for row in rows[:first])
    return Page(cards, len(rows) > first, cards[-1].id if cards else None)


async def transition_task(
    database: Database,
    clock: Clock,
    reader: Reader,
    id_: str,
    to: TaskState,
    limits: MessageLimits,
    *,
    expected: TaskState | None = None,
    note: str | None = None,
) -> TaskCard:
    """Move a task, as whoever ``reader`` is to it, and return it as it is then.

    A task whose time is over is ended first, whatever comes of the request. Raises Refused with NOT_FOUND for a task
    that he may not see, FORBIDDEN, STATE_MISMATCH or CONFLICT (see ``graph.rules.tasks.decide``).
    """
    check_id(id_, Prefix.TASK, "id")
    if note is not None:
        check_text(note, "note", characters=limits.task_note_characters)
    now = clock.now()

    async def work(tx: Transaction) -> TaskCard | Refused:
        row = await tx.one(HOLD, {"id": id_, **reader.parameters})
        if row is None:
            return Refused(RefusalCode.NOT_FOUND, f"id {shown(id_)} is not a task that you can see.", field="id")
        card, standing = _card(row), _standing(row)
        who = Actor(reader.handle, received=row["received"], human=row["human"])
        if past_due(standing, now):
            await tx.run(CHANGE, {"changes": [_expiry(card, now)]})
            standing = replace(standing, state=TaskState.EXPIRED)
        try:
            change = decide(standing, who, to, expected)
        except Refused as refused:
            # Answered and not raised, for the task may just have been ended, and that must stand.
            return refused
        written = _change(card, change, who.handle, now, note)
        await tx.run(CHANGE, {"changes": [written]})
        return replace(
            card, state=change.to, assignee=change.assignee, updated_at=written["at"], version=card.version + 1
        )

    outcome = await database.write(work)
    if isinstance(outcome, Refused):
        raise outcome
    return outcome


async def sweep_expired(database: Database, clock: Clock, *, at_once: int = SWEPT_AT_ONCE) -> int:
    """End every open task whose time is over, ``at_once`` in one transaction, and return how many that were.

    Several processes may sweep at the same time: a task is ended once, by whoever has it locked first.
    """
    swept, full = 0, True
    while full:
        now = clock.now()

        async def work(tx: Transaction, now: datetime = now) -> tuple[int, int]:
            due = [row["id"] for row in await tx.run(DUE, {"now": now, "limit": at_once})]
            rows = await tx.run(LOCK, {"ids": due}) if due else []
            # Another process may have ended some of them since they were found.
            changes = [_expiry(_card(row), now) for row in rows if past_due(_standing(row), now)]
            if changes:
                await tx.run(CHANGE, {"changes": changes})
            return len(due), len(changes)

        found, ended = await database.write(work)
        swept, full = swept + ended, found == at_once
    return swept


async def _claimable(
    database: Database, reader: Reader, chosen: TaskFilter, first: int, before: str | None
) -> Page[TaskCard, str]:
    """Look through what nobody has claimed, at most 5,000 of it; a page that hits that bound comes back short."""
    if chosen.states and TaskState.SUBMITTED not in chosen.states:
        return Page((), has_next=False, end=None)
    found: list[TaskCard] = []
    position, scanned, exhausted = before or LAST_ID, 0, False
    while not exhausted and len(found) <= first and scanned < SCAN_MOST:
        rows = await database.fetch(UNCLAIMED, {**reader.parameters, "before": position, "window": SCAN_WINDOW})
        found += [_card(row) for row in rows if row["claimable"]]
        scanned, exhausted = scanned + len(rows), len(rows) < SCAN_WINDOW
        position = rows[-1]["id"] if rows else position
    more = len(found) > first
    return Page(tuple(found[:first]), more or not exhausted, found[first - 1].id if more else position)


def _change(card: TaskCard, change: Change, by: str, now: datetime, note: str | None) -> dict[str, Any]:
    return {
        "task": card.id,
        "from": card.state,
        "to": change.to,
        "assignee": change.assignee,
        "ends": change.to not in OPEN,
        "by": by,
        # Whoever waited for the lock asked earlier than it was granted; the events of a task never run backwards.
        "at": max(now, card.updated_at),
        "note": note,
    }


def _expiry(card: TaskCard, now: datetime) -> dict[str, Any]:
    return _change(card, Change(TaskState.EXPIRED, card.assignee), SYSTEM, now, None)


def _card(row: Row) -> TaskCard:
    return TaskCard(
        id=row["id"],
        message=row["message"],
        state=TaskState(row["state"]),
        originator=row["originator"],
        assignee=row["assignee"],
        expires_at=optional_moment(row["expiresAt"]),
        created_at=moment(row["createdAt"]),
        updated_at=moment(row["updatedAt"]),
        version=row["version"],
    )


def _standing(row: Row) -> Standing:
    return Standing(
        state=TaskState(row["state"]),
        originator=row["originator"],
        assignee=row["assignee"],
        offered=row["offered"],
        expires_at=optional_moment(row["expiresAt"]),
    )


def _event(row: Row) -> TaskEvent:
    return TaskEvent(
        seq=row["seq"],
        before=TaskState(row["from"]),
        after=TaskState(row["to"]),
        by=row["by"],
        at=moment(row["at"]),
        note=row["note"],
    )
