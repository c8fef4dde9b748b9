"""The write path: a batch of drafts becomes messages in one transaction, and sending one is a batch of one.

Three statements: the locks, the facts that references need (left out when no draft has any), and the writes. The
order of locks is that of DESIGN §3.3, so that parallel writers never wait for each other in a circle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from graph.database import Row, Transaction
from graph.errors import Refused
from graph.queries import query
from graph.rules.addresses import EVERYONE
from graph.rules.drafts import NEW_THREAD, Draft
from graph.rules.moments import moments
from graph.rules.planning import (
    DraftFacts,
    Duplicate,
    FreshIds,
    NewSession,
    Parent,
    PlannedMessage,
    PlannedTask,
    addressed,
    plan,
)
from graph.rules.readers import reader_tokens
from graph.rules.rights import Box, ReplyPolicy, RoleDelivery, Standing
from graph.rules.tasks import TaskState

LOCK, FACTS, WRITE = query("writing/lock"), query("writing/facts"), query("writing/write")
CONTACTS = query("writing/contacts")

Outcome = PlannedMessage | Duplicate | Refused


@dataclass(frozen=True, slots=True)
class Submission:
    """A draft on its way into the graph, with the ids it will have if it gets there."""

    draft: Draft
    ids: FreshIds


async def submit(tx: Transaction, submissions: Sequence[Submission]) -> list[Outcome]:
    """Write every draft that can be written and return one outcome for each, in order.

    A refused draft leaves nothing behind and does not touch the others. A duplicate names the message that exists.
    """
    drafts = [submission.draft for submission in submissions]
    standing, policy = await _lock(tx, drafts)
    facts = await _facts(tx, drafts)
    if policy is ReplyPolicy.CONTACTS:
        standing = replace(standing, contacts=await _contacts(tx, drafts, facts))
    outcomes: list[Outcome] = []
    for submission, known in zip(submissions, facts, strict=True):
        try:
            outcomes.append(plan(submission.draft, known, standing, submission.ids))
        except Refused as refused:
            outcomes.append(refused)
    planned = [outcome for outcome in outcomes if isinstance(outcome, PlannedMessage)]
    if planned:
        await tx.run(WRITE, {"batch": write_parameters(planned, standing.boxes)})
    return outcomes


async def _lock(tx: Transaction, drafts: Sequence[Draft]) -> tuple[Standing, ReplyPolicy]:
    senders = {draft.sender for draft in drafts}
    named = senders | {address for draft in drafts for address in draft.recipients}
    batch = {
        "addresses": sorted(named - {EVERYONE}),
        "senders": sorted(senders),
        "everyone": EVERYONE in named,
        "answered": [draft.in_reply_to for draft in drafts if draft.to is None],
        "parents": [draft.in_reply_to for draft in drafts if draft.in_reply_to is not None],
        "threads": [draft.thread for draft in drafts if draft.thread not in {None, NEW_THREAD}],
    }
    (row,) = await tx.run(LOCK, {"batch": batch})
    boxes = {
        box["address"]: Box(box["address"], box["kind"], box["status"], box["delivery"], tuple(box["members"]))
        for box in row["boxes"]
    }
    return Standing(boxes, frozenset(map(tuple, row["blocks"]))), ReplyPolicy(row["replyPolicy"] or ReplyPolicy.OPEN)


async def _contacts(
    tx: Transaction, drafts: Sequence[Draft], facts: Sequence[DraftFacts]
) -> frozenset[tuple[str, str]]:
    pairs = {
        (draft.sender, address)
        for draft, known in zip(drafts, facts, strict=True)
        for address, _ in addressed(draft, known.parent)
    }
    rows = await tx.run(CONTACTS, {"pairs": [list(pair) for pair in sorted(pairs)]})
    return frozenset((row["sender"], row["target"]) for row in rows)


async def _facts(tx: Transaction, drafts: Sequence[Draft]) -> list[DraftFacts]:
    asked = [
        {
            "row": row,
            "sender": draft.sender,
            "key": draft.idempotency_key,
            "parent": draft.in_reply_to,
            "thread": draft.thread,
            "origin": draft.origin_session,
            "related": draft.related_sessions,
            "memories": draft.memories,
        }
        for row, draft in enumerate(drafts)
        if draft.has_references
    ]
    rows: dict[int, Row] = (
        {row["row"]: row for row in await tx.run(FACTS, {"batch": {"drafts": asked}})} if asked else {}
    )
    return [_draft_facts(rows.get(number)) for number in range(len(drafts))]


def _draft_facts(row: Row | None) -> DraftFacts:
    if row is None:
        return DraftFacts()
    duplicate, parent = row["duplicate"], row["parent"]
    return DraftFacts(
        duplicate=None if duplicate is None else (duplicate["id"], duplicate["contentHash"]),
        parent=None
        if parent is None
        else Parent(parent["id"], parent["visible"], parent["author"], parent["thread"], tuple(parent["recipients"])),
        participates=row["participates"],
        origin_session=row["origin"],
        related_sessions=dict(row["related"]),
        memories=frozenset(row["memories"]),
    )


def write_parameters(planned: Sequence[PlannedMessage], boxes: Mapping[str, Box]) -> dict[str, Any]:
    """Return the parameters of ``writing/write`` for these messages."""
    return {
        "now": planned[0].created_at,
        "concepts": sorted({tag for message in planned for tag in message.draft.tags}),
        "tickets": sorted({key for message in planned for key in message.draft.tickets}),
        "sessions": [_session(m.new_session) for m in planned if m.new_session is not None],
        "newThreads": [
            {"id": m.thread, "subject": m.draft.subject, "createdAt": m.created_at} for m in planned if m.new_thread
        ],
        "threadCounts": _thread_counts(planned),
        "messages": [_message(m, boxes[m.draft.sender].kind) for m in planned],
        "replies": [
            {"message": m.id, "parent": m.parent.id} for m in planned if m.parent is not None and m.parent.thread
        ],
        "memoryReplies": [
            {"message": m.id, "parent": m.parent.id} for m in planned if m.parent is not None and not m.parent.thread
        ],
        "forks": [{"thread": m.thread, "parent": m.forked_from} for m in planned if m.forked_from is not None],
        "tasks": [_task(m, m.task) for m in planned if m.task is not None],
        "mailboxes": _mailboxes(planned, boxes),
    }


def _session(session: NewSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "agent": session.agent,
        "externalId": session.external_id,
        "startedAt": session.started_at,
    }


def _task(message: PlannedMessage, task: PlannedTask) -> dict[str, Any]:
    return {
        "message": message.id,
        "properties": {
            "id": task.id,
            "message": message.id,
            "state": TaskState.SUBMITTED,
            "originator": message.draft.sender,
            "assignee": task.assignee,
            "offered": task.assignee is None,
            # Present only while nobody has it, and only while it is open: their indexes hold nothing else.
            "unclaimed": True if task.assignee is None else None,
            "open": True,
            "expiresAt": task.expires_at,
            "createdAt": message.created_at,
            "updatedAt": message.created_at,
            "version": 0,
        },
    }


def _thread_counts(planned: Sequence[PlannedMessage]) -> list[dict[str, Any]]:
    in_order = sorted(planned, key=lambda message: message.thread)
    counts = []
    for thread, members in groupby(in_order, key=lambda message: message.thread):
        times = [message.created_at for message in members]
        counts.append({"id": thread, "count": len(times), "lastMessageAt": max(times)})
    return counts


def _message(message: PlannedMessage, sender_class: str | None) -> dict[str, Any]:
    draft = message.draft
    return {
        "sender": draft.sender,
        "thread": message.thread,
        "properties": {
            "id": message.id,
            "subject": draft.subject,
            "bodyText": draft.body_text,
            "createdAt": message.created_at,
            "priority": draft.priority.value,
            "kind": "HANDOVER" if draft.is_handover else "MESSAGE",
            "expectsReply": draft.expects_reply,
            # Stamped now and never derived again: whoever the sender becomes, this is what spoke.
            "senderClass": sender_class,
            "provenance": "NATIVE",
            "tags": draft.tags,
            "readers": reader_tokens(draft.sender, (mailbox for mailbox, _ in message.deliveries)),
            "moments": moments(message.id),
        },
        "sentBy": {
            "sender": draft.sender,
            "createdAt": message.created_at,
            "messageId": message.id,
            "idempotencyKey": draft.idempotency_key,
            "contentHash": None if draft.idempotency_key is None else draft.content_hash,
        },
        "addresses": [
            {"address": address, "kind": kind.value} for address, kind in message.addresses if address != EVERYONE
        ],
        "broadcasts": [
            {"address": address, "kind": kind.value} for address, kind in message.addresses if address == EVERYONE
        ],
        "tags": draft.tags,
        "tickets": draft.tickets,
        "memories": draft.memories,
        "origin": [message.origin_session] if message.origin_session is not None else [],
        "related": message.related_sessions,
    }


def _mailboxes(planned: Sequence[PlannedMessage], boxes: Mapping[str, Box]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for message in planned:
        for address, via in message.deliveries:
            entry: dict[str, Any] = {
                "sender": message.draft.sender,
                "thread": message.thread,
                "folder": "INBOX",
                "unread": True,
                "deliveredAt": message.created_at,
                "via": via.value,
                "tags": message.draft.tags,
            }
            # Present only while something is to be done: a handover accepted, an entry of a queue finished.
            if message.draft.is_handover or boxes[address].delivery == RoleDelivery.QUEUE:
                entry["pending"] = True
            groups.setdefault(address, []).append(
                {"message": message.id, "properties": entry, "concepts": message.draft.tags}
            )
    return [{"address": address, "entries": entries} for address, entries in sorted(groups.items())]
