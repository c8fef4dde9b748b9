"""The write path: a batch of drafts becomes messages in one transaction, and sending one is a batch of one.

Three statements: the locks, the facts that references need, and the writes. The facts are left out when no draft has
any, and drafts with nothing but an idempotency key are asked about by themselves, which is much less. The order of
locks is that of DESIGN §3.3, so that parallel writers never wait for each other in a circle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph.batches import Written, write
from graph.database import Row, Transaction
from graph.errors import Refused
from graph.queries import query
from graph.rules.addresses import EVERYONE
from graph.rules.batching import Earlier
from graph.rules.drafts import NEW_THREAD, Draft
from graph.rules.planning import (
    DraftFacts,
    Duplicate,
    FreshIds,
    Parent,
    PlannedMessage,
    RecipientKind,
    addressed,
    plan,
)
from graph.rules.rights import Box, ReplyPolicy, RoleDelivery, Standing
from graph.rules.tags import concepts_of

LOCK, FACTS, DUPLICATES = query("writing/lock"), query("writing/facts"), query("writing/duplicates")
CONTACTS = query("writing/contacts")

Outcome = PlannedMessage | Duplicate | Refused


@dataclass(frozen=True, slots=True)
class Submission:
    """A draft on its way into the graph, with the ids it will have if it gets there."""

    draft: Draft
    ids: FreshIds


async def submit(tx: Transaction, submissions: Sequence[Submission]) -> list[Outcome]:
    """Write every draft that can be written and return one outcome for each, in order.

    A refused draft leaves nothing behind and does not touch the others. A duplicate names the message that exists,
    which may be one of the same batch: drafts fare as if they were sent one after the other.
    """
    drafts = [submission.draft for submission in submissions]
    standing, policy, aliases = await _lock(tx, drafts)
    facts = await _facts(tx, drafts)
    if policy is ReplyPolicy.CONTACTS:
        standing = replace(standing, contacts=await _contacts(tx, drafts, facts))
    outcomes: list[Outcome] = []
    earlier = Earlier()
    for submission, known in zip(submissions, facts, strict=True):
        try:
            amended = earlier.amended(submission.draft, known)
            outcome = plan(submission.draft, amended, standing, submission.ids)
        except Refused as refused:
            outcomes.append(refused)
            continue
        if isinstance(outcome, PlannedMessage):
            earlier.note(outcome)
            outcome = _named(outcome, aliases)
        outcomes.append(outcome)
    planned = [outcome for outcome in outcomes if isinstance(outcome, PlannedMessage)]
    if planned:
        written = [_written(message, standing.boxes) for message in planned]
        await write(tx, written, planned[0].created_at)
    return outcomes


def _named(message: PlannedMessage, aliases: Mapping[str, str]) -> PlannedMessage:
    """Return what was planned, tags as the concepts that they mean; what a retry is compared by stays as written."""
    if not any(tag in aliases for tag in message.draft.tags):
        return message
    return replace(message, draft=replace(message.draft, tags=concepts_of(message.draft.tags, aliases)))


async def _lock(tx: Transaction, drafts: Sequence[Draft]) -> tuple[Standing, ReplyPolicy, Mapping[str, str]]:
    senders = {draft.sender for draft in drafts}
    named = senders | {address for draft in drafts for address in draft.recipients}
    batch = {
        "addresses": sorted(named - {EVERYONE}),
        "senders": sorted(senders),
        "everyone": EVERYONE in named,
        "answered": [draft.in_reply_to for draft in drafts if draft.to is None],
        "parents": [draft.in_reply_to for draft in drafts if draft.in_reply_to is not None],
        "threads": [draft.thread for draft in drafts if draft.thread not in {None, NEW_THREAD}],
        "tags": sorted({tag for draft in drafts for tag in draft.tags}),
    }
    (row,) = await tx.run(LOCK, {"batch": batch})
    boxes = {
        box["address"]: Box(box["address"], box["kind"], box["status"], box["delivery"], tuple(box["members"]))
        for box in row["boxes"]
    }
    standing = Standing(boxes, frozenset(map(tuple, row["blocks"])))
    return standing, ReplyPolicy(row["replyPolicy"] or ReplyPolicy.OPEN), dict(row["aliases"])


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
    keyed = [
        {"row": row, "sender": draft.sender, "key": draft.idempotency_key}
        for row, draft in enumerate(drafts)
        if draft.idempotency_key is not None and not draft.has_references
    ]
    found = await tx.run(FACTS, {"batch": {"drafts": asked}}) if asked else []
    found += await tx.run(DUPLICATES, {"batch": {"drafts": keyed}}) if keyed else []
    rows: dict[int, Row] = {row["row"]: row for row in found}
    return [_draft_facts(rows.get(number)) for number in range(len(drafts))]


def _draft_facts(row: Row | None) -> DraftFacts:
    if row is None:
        return DraftFacts()
    duplicate = None if row["duplicate"] is None else (row["duplicate"]["id"], row["duplicate"]["contentHash"])
    if "parent" not in row:
        return DraftFacts(duplicate=duplicate)
    parent = row["parent"]
    return DraftFacts(
        duplicate=duplicate,
        parent=None
        if parent is None
        else Parent(parent["id"], parent["visible"], parent["author"], parent["thread"], tuple(parent["recipients"])),
        participates=row["participates"],
        origin_session=row["origin"],
        related_sessions=dict(row["related"]),
        memories=frozenset(row["memories"]),
    )


def _written(message: PlannedMessage, boxes: Mapping[str, Box]) -> Written:
    draft, parent = message.draft, message.parent
    # What is still to be done: a handover waits to be accepted, an entry of a queue to be finished.
    pending = [
        address
        for address, _ in message.deliveries
        if draft.is_handover or boxes[address].delivery == RoleDelivery.QUEUE
    ]
    answers_message = parent is not None and parent.thread is not None
    return Written(
        id=message.id,
        sender=draft.sender,
        # Stamped now and never derived again: whoever the sender becomes, this is what spoke.
        sender_class=boxes[draft.sender].kind,
        subject=draft.subject,
        body_text=draft.body_text,
        created_at=message.created_at,
        delivered_at=message.created_at,
        thread=message.thread,
        new_thread=message.new_thread,
        to=[address for address, kind in message.addresses if kind is RecipientKind.TO],
        cc=[address for address, kind in message.addresses if kind is RecipientKind.CC],
        deliveries=message.deliveries,
        provenance="NATIVE",
        idempotency_key=draft.idempotency_key,
        content_hash=message.content_hash,
        kind="HANDOVER" if draft.is_handover else "MESSAGE",
        priority=draft.priority.value,
        expects_reply=draft.expects_reply,
        tags=draft.tags,
        pending=pending,
        parent=parent.id if parent is not None and answers_message else None,
        parent_memory=parent.id if parent is not None and not answers_message else None,
        forked_from=message.forked_from,
        tickets=draft.tickets,
        memories=draft.memories,
        origin_session=message.origin_session,
        new_session=message.new_session,
        task=message.task,
        related_sessions=message.related_sessions,
    )
