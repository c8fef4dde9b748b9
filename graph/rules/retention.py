"""Retention: what an operator's policy may say, and what goes or leaves a tombstone when messages are deleted.

A message goes when nothing hangs on it: no reply, and no thread that forked off it. Otherwise a tombstone stays in its
place, until the last of what hangs on it goes too.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from graph.rules.tags import canonical_tags
from graph.rules.text import shown

#: A century: nothing here is older, and dates stay in the calendar.
DAYS_MOST = 36_500
_AGE = re.compile(r"([0-9]{1,6})([dwy])")
_DAYS = {"d": 1, "w": 7, "y": 365}


@dataclass(frozen=True, slots=True)
class Policy:
    """Which messages go: those older than so many days, and of each mailbox's entries all but so many newest.

    At least one of the two is said. ``except_tags`` are canonical; a message that has one of them stays.
    """

    older_than_days: int | None
    keep_per_mailbox: int | None
    except_tags: tuple[str, ...]

    def cutoff(self, now: datetime) -> datetime | None:
        """Return the time before which messages go, or None when age is not a reason."""
        return None if self.older_than_days is None else now - timedelta(days=self.older_than_days)


@dataclass(frozen=True, slots=True)
class Member:
    """A message that is to go, and what hangs on it: replies, and threads that forked off it with their member counts.

    ``origin`` is the message that its own thread forked off.
    """

    id: str
    thread: str
    parent: str | None
    origin: str | None
    replies: tuple[str, ...]
    forks: tuple[tuple[str, int], ...]


def check_policy(
    older_than_days: int | None, keep_per_mailbox: int | None, except_tags: Iterable[str], limits: MessageLimits
) -> Policy:
    """Return the policy that was said. Raises Refused for one without a reason, or a number nobody means."""
    if older_than_days is None and keep_per_mailbox is None:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            "Neither olderThanDays nor keepPerMailbox is said, so nothing would go; say at least one of them.",
            field="olderThanDays",
        )
    if older_than_days is not None and not 1 <= older_than_days <= DAYS_MOST:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"olderThanDays is {older_than_days}; say a number of days from 1 to {DAYS_MOST}.",
            field="olderThanDays",
        )
    if keep_per_mailbox is not None and keep_per_mailbox < 1:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"keepPerMailbox is {keep_per_mailbox}; say how many entries each mailbox keeps, 1 or more.",
            field="keepPerMailbox",
        )
    return Policy(older_than_days, keep_per_mailbox, canonical_tags(except_tags, "exceptTags", limits))


def days_of(written: str) -> int:
    """Return the days that ``90d``, ``12w`` or ``2y`` mean. Raises Refused for anything else."""
    match = _AGE.fullmatch(written.strip().lower())
    if match is None:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"older-than {shown(written)} is not an age; write days, weeks or years, such as 90d, 12w or 2y.",
            field="olderThanDays",
        )
    return int(match[1]) * _DAYS[match[2]]


def unhung(going: Mapping[str, Member]) -> set[str]:
    """Return which of the messages that are to go leave nothing behind; each of the others leaves a tombstone.

    What hangs on a message may be to go as well, in any order; it never recurses, however deep the thread is.
    """
    forked_off: dict[str, set[str]] = defaultdict(set)
    for member in going.values():
        for thread, _ in member.forks:
            forked_off[thread].add(member.id)
    gone: set[str] = set()
    lost: Counter[str] = Counter()
    open_ = list(going)
    while open_:
        member = going[open_.pop()]
        if member.id in gone or _holds(member, gone, lost):
            continue
        gone.add(member.id)
        lost[member.thread] += 1
        above = {member.parent, member.origin, *forked_off[member.thread]}
        open_.extend(id_ for id_ in above if id_ is not None and id_ in going)
    return gone


def _holds(member: Member, gone: set[str], lost: Mapping[str, int]) -> bool:
    """Tell whether something that stays hangs on a message."""
    return any(reply not in gone for reply in member.replies) or any(
        members > lost.get(thread, 0) for thread, members in member.forks
    )
