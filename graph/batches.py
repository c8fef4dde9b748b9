"""A batch of messages on its way into the graph: what each of them is, and how ``writing/write`` is told.

Whoever writes messages says what each is in a ``Written``. Addresses, threads and tags are looked up once a batch, and
messages name them by their place in a list, so that a batch costs the database little more than what it creates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.database import Transaction
from graph.queries import query
from graph.records import milliseconds
from graph.rules.addresses import EVERYONE
from graph.rules.moments import moments
from graph.rules.planning import NewSession, PlannedTask, Via
from graph.rules.readers import reader_tokens
from graph.rules.tasks import TaskState

WRITE = query("writing/write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A message with everything that hangs on it, as it will be written.

    ``new_thread`` is whether it begins its thread. ``pending`` are the mailboxes where something is to be done.
    ``mail_id`` and ``missing_parent`` are Message-IDs of imported mail.
    """

    id: str
    sender: str
    sender_class: str | None
    subject: str
    body_text: str
    created_at: datetime
    delivered_at: datetime
    thread: str
    new_thread: bool
    to: Sequence[str]
    deliveries: Sequence[tuple[str, Via]]
    provenance: str
    idempotency_key: str | None
    content_hash: str | None
    cc: Sequence[str] = ()
    kind: str = "MESSAGE"
    priority: str = "NORMAL"
    expects_reply: bool = False
    tags: tuple[str, ...] = ()
    pending: Sequence[str] = ()
    parent: str | None = None
    parent_memory: str | None = None
    forked_from: str | None = None
    tickets: Sequence[str] = ()
    memories: Sequence[str] = ()
    origin_session: str | None = None
    new_session: NewSession | None = None
    task: PlannedTask | None = None
    related_sessions: Sequence[str] = ()
    mail_id: str | None = None
    missing_parent: str | None = None


async def write(tx: Transaction, messages: Sequence[Written], now: datetime) -> None:
    """Write messages, in the order in which their mailboxes list them, under the locks of ``writing/lock``.

    Raises LookupError when something that they name is not there any more, which the locks should have kept; then the
    transaction must not be committed.
    """
    batch = parameters(messages, now)
    row = await tx.one(WRITE, {"batch": batch})
    expected = {"messages": len(messages), "entries": sum(len(one.deliveries) for one in messages), "bound": True}
    if row != expected:
        raise LookupError(f"A batch was not written as it was meant to be: {row} instead of {expected}.")


def parameters(messages: Sequence[Written], now: datetime) -> dict[str, Any]:
    """Return the batch that ``writing/write`` takes."""
    entries, receiving = _entries(messages)
    named = {address for one in messages for address in (one.sender, *one.to, *one.cc)}
    others = sorted(named - receiving.keys() - {EVERYONE})
    broadcasts = sorted(named & {EVERYONE})
    addresses = [*receiving, *others, *broadcasts]
    begun, joined = _threads(messages)
    threads = [thread["id"] for thread in (*begun, *joined)]
    concepts = sorted({tag for one in messages for tag in one.tags})
    places = _Places(_by_place(addresses), _by_place(threads), _by_place(concepts))
    return {
        "now": milliseconds(now),
        "concepts": concepts,
        "addresses": addresses,
        "receiving": [{"address": address, "entries": count} for address, count in receiving.items()],
        "others": others,
        "broadcasts": broadcasts,
        "threads": threads,
        "begun": begun,
        "joined": joined,
        "sessions": [_session(one.new_session) for one in messages if one.new_session is not None],
        "messages": [_message(one, places, own) for one, own in zip(messages, entries, strict=True)],
        "replies": [{"message": one.id, "parent": one.parent} for one in messages if one.parent],
        "memoryReplies": [{"message": one.id, "parent": one.parent_memory} for one in messages if one.parent_memory],
        "forks": [{"thread": one.thread, "parent": one.forked_from} for one in messages if one.forked_from],
        "tasks": [_task(one, one.task) for one in messages if one.task is not None],
        # New tickets are made in the order of their keys, so that two batches never wait for each other in a circle.
        "tickets": sorted(
            ({"message": one.id, "key": key} for one in messages for key in one.tickets), key=lambda x: x["key"]
        ),
        "memories": [{"message": one.id, "memory": memory} for one in messages for memory in one.memories],
        "origins": [{"message": one.id, "session": one.origin_session} for one in messages if one.origin_session],
        "related": [{"message": one.id, "session": session} for one in messages for session in one.related_sessions],
    }


@dataclass(frozen=True, slots=True)
class _Places:
    """Where in its list each name stands."""

    addresses: dict[str, int]
    threads: dict[str, int]
    concepts: dict[str, int]


def _by_place(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _entries(messages: Sequence[Written]) -> tuple[list[list[dict[str, Any]]], dict[str, int]]:
    """Return the mailbox entries of each message, and how many each mailbox gets.

    The place of an entry among its mailbox's new ones decides its uid: messages come in the order they were sent.
    """
    receiving: dict[str, int] = {}
    entries = []
    for one in messages:
        own = []
        for address, via in one.deliveries:
            place = receiving.get(address, 0)
            receiving[address] = place + 1
            pending = True if address in one.pending else None
            own.append({"address": address, "place": place, "via": via.value, "pending": pending})
        entries.append(own)
    return entries, receiving


def _threads(messages: Sequence[Written]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the threads that begin and those that go on, in id order, with what the messages add to each."""
    begun = {one.thread: _thread(one) | {"subject": one.subject} for one in messages if one.new_thread}
    joined: dict[str, dict[str, Any]] = {}
    for one in messages:
        known = begun.get(one.thread) or joined.setdefault(one.thread, _thread(one))
        known["count"] += 1
        known["lastMessageAt"] = max(known["lastMessageAt"], milliseconds(one.created_at))
    return list(begun.values()), [joined[id_] for id_ in sorted(joined)]


def _thread(first: Written) -> dict[str, Any]:
    at = milliseconds(first.created_at)
    return {"id": first.thread, "createdAt": at, "lastMessageAt": at, "count": 0}


def _session(session: NewSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "agent": session.agent,
        "externalId": session.external_id,
        "startedAt": milliseconds(session.started_at),
    }


def _task(one: Written, task: PlannedTask) -> dict[str, Any]:
    return {
        "id": task.id,
        "message": one.id,
        "state": TaskState.SUBMITTED.value,
        "originator": one.sender,
        "assignee": task.assignee,
        "offered": task.assignee is None,
        # Present only while nobody has it: its index holds nothing else.
        "unclaimed": True if task.assignee is None else None,
        "expiresAt": None if task.expires_at is None else milliseconds(task.expires_at),
        "createdAt": milliseconds(one.created_at),
    }


def _message(one: Written, places: _Places, entries: list[dict[str, Any]]) -> dict[str, Any]:
    addresses = places.addresses
    return {
        "id": one.id,
        "sender": one.sender,
        "author": addresses[one.sender],
        "threadId": one.thread,
        "thread": places.threads[one.thread],
        "subject": one.subject,
        "bodyText": one.body_text,
        "createdAt": milliseconds(one.created_at),
        "deliveredAt": milliseconds(one.delivered_at),
        "priority": one.priority,
        "kind": one.kind,
        "expectsReply": one.expects_reply,
        "senderClass": one.sender_class,
        "provenance": one.provenance,
        "idempotencyKey": one.idempotency_key,
        "contentHash": one.content_hash,
        "tags": one.tags,
        "concepts": [places.concepts[tag] for tag in one.tags],
        "to": [addresses[address] for address in one.to],
        "cc": [addresses[address] for address in one.cc],
        "mailId": one.mail_id,
        "missingParent": one.missing_parent,
        "readers": reader_tokens(one.sender, (mailbox for mailbox, _ in one.deliveries)),
        "moments": moments(one.id),
        "entries": [
            {
                "box": addresses[entry["address"]],
                "place": entry["place"],
                "via": entry["via"],
                "pending": entry["pending"],
            }
            for entry in entries
        ],
    }
