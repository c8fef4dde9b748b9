"""Sending mail: one message, acknowledged when it is durable and in every recipient's mailbox (DESIGN §3.1, §3.2)."""

from dataclasses import dataclass

from graph.addressing import with_candidates
from graph.clock import Clock
from graph.database import Database, Transaction
from graph.errors import Refused, UnknownAddress
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.limits import MessageLimits
from graph.rules.planning import Duplicate, FreshIds
from graph.writing import Outcome, Submission, submit


@dataclass(frozen=True, slots=True)
class Sent:
    """The id of the message; ``duplicate`` when an earlier send with the same idempotency key made it."""

    message: str
    duplicate: bool


async def send_message(
    database: Database, clock: Clock, sender: str, said: MessageInput, limits: MessageLimits
) -> Sent:
    """Send a message as ``sender``, who is whoever the credential says.

    Raises Refused with UNKNOWN_ADDRESS and the nearest candidates, NOT_FOUND for what the sender cannot see,
    IDEMPOTENCY_CONFLICT, RESERVED_TAG, INVALID_INPUT or LIMIT_EXCEEDED; then nothing was stored.
    """
    submission = Submission(check_draft(sender, said, limits), FreshIds.made(clock.now()))

    async def work(tx: Transaction) -> list[Outcome]:
        return await submit(tx, [submission])

    (outcome,) = await database.write(work)
    if isinstance(outcome, UnknownAddress):
        raise await with_candidates(database, outcome)
    if isinstance(outcome, Refused):
        raise outcome
    return Sent(outcome.id, duplicate=isinstance(outcome, Duplicate))
