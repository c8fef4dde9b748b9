"""Claims on a queue's entries: one holder at a time, by a lease and a token that a later claim makes old."""

import hmac
from dataclasses import dataclass
from datetime import datetime

from graph.errors import RefusalCode, Refused
from graph.rules.text import shown

#: How long a claim may last, in seconds.
LEASE_LEAST, LEASE_MOST = 1, 86_400


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """How an entry stands under the queue's lock. ``token`` is that of the last claim, until it is given back."""

    message: str
    claimed_by: str | None = None
    claimed_until: datetime | None = None
    token: str | None = None
    finished_at: datetime | None = None


def check_lease(seconds: int) -> int:
    """Return the lease. Raises Refused when it is not from a second to a day."""
    if not LEASE_LEAST <= seconds <= LEASE_MOST:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"leaseSeconds is {seconds}; ask for {LEASE_LEAST} to {LEASE_MOST}, and renew a claim that takes longer.",
            field="leaseSeconds",
        )
    return seconds


def check_claim(entry: QueueEntry, agent: str, now: datetime) -> None:
    """Raise Refused unless ``agent`` may claim the entry now: it is free, its lease has ended, or it is theirs."""
    _check_open(entry)
    held = entry.claimed_until is not None and entry.claimed_until > now
    if held and entry.claimed_by != agent:
        raise Refused(
            RefusalCode.CONFLICT,
            f"id {shown(entry.message)} is claimed by {entry.claimed_by} until {entry.claimed_until:%FT%TZ}; "
            "claim another, or this one after that.",
            field="id",
            retryable=True,
        )


def check_holder(entry: QueueEntry, agent: str, token: str) -> None:
    """Raise Refused with STALE_OWNER unless ``token`` is of the last claim, and that was ``agent``'s.

    A lease that has ended is no loss by itself; the token is old once the entry was claimed anew or given back.
    """
    _check_open(entry)
    # A token is text from outside, which need not be Unicode.
    given, kept = token.encode(errors="surrogatepass"), (entry.token or "").encode()
    if entry.token is None or entry.claimed_by != agent or not hmac.compare_digest(kept, given):
        raise Refused(
            RefusalCode.STALE_OWNER,
            f"token is not of a present claim of yours on {shown(entry.message)}: it was claimed anew, or given back; "
            "do not act on it, claim another.",
            field="token",
        )


def _check_open(entry: QueueEntry) -> None:
    if entry.finished_at is not None:
        raise Refused(
            RefusalCode.CONFLICT,
            f"id {shown(entry.message)} was finished by {entry.claimed_by} at {entry.finished_at:%FT%TZ}; "
            "there is nothing left to do.",
            field="id",
        )
