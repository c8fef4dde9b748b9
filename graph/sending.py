"""Sending mail: a message is acknowledged when it is durable and in every recipient's mailbox (DESIGN §3.1, §3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph.addressing import with_candidates, without_families
from graph.clock import Clock
from graph.committing import Committer
from graph.database import Database
from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.messages import Addressee
from graph.records import MessageCard
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.limits import MessageLimits
from graph.rules.planning import Duplicate, FreshIds, PlannedMessage, RecipientKind
from graph.writing import Outcome, Submission


@dataclass(frozen=True, slots=True)
class Sent:
    """The id of the message; ``duplicate`` when an earlier send with the same idempotency key made it.

    ``card``, ``body_text`` and ``recipients`` are what was written; None for a duplicate, which nobody read again.
    ``skipped`` is how many of a broadcast's or a role's audience did not get it because they block the sender.
    """

    message: str
    duplicate: bool
    skipped: int = 0
    card: MessageCard | None = None
    body_text: str | None = None
    recipients: tuple[Addressee, ...] | None = None


async def send_message(
    committer: Committer, clock: Clock, sender: str, said: MessageInput, limits: MessageLimits
) -> Sent:
    """Send a message as ``sender``, who is whoever the credential says.

    Raises Refused with UNKNOWN_ADDRESS and the nearest candidates, NOT_FOUND for what the sender cannot see,
    IDEMPOTENCY_CONFLICT, RESERVED_TAG, INVALID_INPUT or LIMIT_EXCEEDED; then nothing was stored.
    """
    submission = await _submission(committer.database, clock, sender, said, limits)
    (outcome,) = await committer.submit([submission])
    if isinstance(outcome, UnknownAddress):
        raise await with_candidates(committer.database, outcome)
    if isinstance(outcome, Refused):
        raise outcome
    return _sent(outcome)


async def send_messages(
    committer: Committer, clock: Clock, sender: str, said: Sequence[MessageInput | Refused], limits: MessageLimits
) -> list[Sent | Refused]:
    """Send messages as ``sender``, in their order and in one transaction, and return what became of each, in order.

    A refused one leaves nothing behind and does not touch the others; what was refused before keeps its place.
    Raises Refused for none, or for too many.
    """
    if not said:
        raise Refused(RefusalCode.INVALID_INPUT, "inputs is empty; say at least one message.", field="inputs")
    if len(said) > limits.bulk_messages:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"inputs has {len(said)} messages; at most {limits.bulk_messages} are allowed (bulkMessages).",
            field="inputs",
        )
    drafts = [await _checked(committer.database, clock, sender, one, limits) for one in said]
    submissions = [draft for draft in drafts if isinstance(draft, Submission)]
    written = await committer.submit(submissions) if submissions else []
    unknown = {outcome.address: outcome for outcome in written if isinstance(outcome, UnknownAddress)}
    near = {address: await with_candidates(committer.database, outcome) for address, outcome in unknown.items()}
    answers = iter([_answer(outcome, near) for outcome in written])
    return [next(answers) if isinstance(draft, Submission) else draft for draft in drafts]


async def _submission(
    database: Database, clock: Clock, sender: str, said: MessageInput, limits: MessageLimits
) -> Submission:
    return Submission(check_draft(sender, await _resolved(database, said), limits), FreshIds.made(clock.now()))


async def _checked(
    database: Database, clock: Clock, sender: str, said: MessageInput | Refused, limits: MessageLimits
) -> Submission | Refused:
    if isinstance(said, Refused):
        return said
    try:
        return await _submission(database, clock, sender, said, limits)
    except Refused as refused:
        return refused


def _answer(outcome: Outcome, near: Mapping[str, UnknownAddress]) -> Sent | Refused:
    if isinstance(outcome, UnknownAddress):
        found = near[outcome.address]
        field = outcome.field or "to"
        return UnknownAddress(found.address, found.message, field=field, candidates=found.candidates)
    return outcome if isinstance(outcome, Refused) else _sent(outcome)


def _sent(outcome: PlannedMessage | Duplicate) -> Sent:
    if isinstance(outcome, Duplicate):
        return Sent(outcome.id, duplicate=True)
    return Sent(
        outcome.id,
        duplicate=False,
        skipped=outcome.skipped,
        card=_card(outcome),
        body_text=outcome.draft.body_text,
        recipients=tuple(Addressee(address, kind.value) for address, kind in sorted(outcome.addresses, key=_as_listed)),
    )


async def _resolved(database: Database, said: MessageInput) -> MessageInput:
    """Return the input with model families replaced by the agents that are of them."""
    if not any("/" in address for address in (*(said.to or ()), *said.cc)):
        return said
    try:
        to = None if said.to is None else await without_families(database, said.to, "to")
        return replace(said, to=to, cc=await without_families(database, said.cc, "cc"))
    except UnknownAddress as unknown:
        raise await with_candidates(database, unknown) from None


def _as_listed(addressed: tuple[str, RecipientKind]) -> tuple[bool, str]:
    address, kind = addressed
    return kind is RecipientKind.CC, address


def _card(message: PlannedMessage) -> MessageCard:
    draft = message.draft
    return MessageCard(
        id=message.id,
        subject=draft.subject,
        created_at=message.created_at,
        priority=draft.priority.value,
        expects_reply=draft.expects_reply,
        retracted=False,
        tags=draft.tags,
        provenance="NATIVE",
        sender=draft.sender,
        thread=message.thread,
    )
