"""What an import did, in numbers and by name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from seed.mail.maildir import LeftOut
from seed.mail.planning import Link, Plan, PlannedMail
from seed.mail.problems import DateSource, Problem

NAMES_KEPT = 20


class Seen(Protocol):
    """A mail that was read, as far as a report goes."""

    @property
    def name(self) -> str:
        """The mail's name."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with it."""


@dataclass(slots=True)
class Tally:
    """How many, and the first few by name."""

    count: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.names) < NAMES_KEPT:
            self.names.append(name)

    def as_dict(self) -> dict[str, object]:
        """Return the tally as plain data."""
        return {"count": self.count, "names": list(self.names)}


@dataclass(slots=True)
class ImportReport:
    """Counts of one import. Told by ``saw`` for each mail read, ``planned`` once, and ``wrote`` for each batch.

    Read mails are added, already present, or duplicates of one kind; those skipped or left out were not read.
    """

    read: int = 0
    read_earlier: int = 0
    """How many of them were read by an import that was interrupted, and not again."""
    added: int = 0
    added_read: int = 0
    """How many of them their owner had read where they come from."""
    already_present: int = 0
    changed: Tally = field(default_factory=Tally)
    """Those of them that say something else than what is here, which stays."""
    left_out: dict[LeftOut, Tally] = field(default_factory=lambda: {reason: Tally() for reason in LeftOut})
    """What a Maildir's owner threw away, drafted or took for junk."""
    skipped: Tally = field(default_factory=Tally)
    """Files that could not be read, each with the reason."""
    duplicates: Tally = field(default_factory=Tally)
    """Message-IDs seen again on a mail that says the same."""
    conflicting_duplicates: Tally = field(default_factory=Tally)
    """Message-IDs seen again on a mail that says something else; the first one was kept."""
    problems: dict[Problem, Tally] = field(default_factory=lambda: {problem: Tally() for problem in Problem})
    dates: dict[DateSource, Tally] = field(default_factory=lambda: {source: Tally() for source in DateSource})
    """Where the dates of the added mails come from; names are kept for all but HEADER."""
    replies: dict[Link, int] = field(default_factory=lambda: dict.fromkeys(Link, 0))
    missing_parents: Tally = field(default_factory=Tally)
    """Mails that answer one which is not here, whether or not an older ancestor is."""
    cycles: Tally = field(default_factory=Tally)
    arrived_parents: int = 0
    """Mails of earlier imports that moved under a mail they had waited for."""
    forked: int = 0
    """Mails of earlier imports that answer one which came into another thread; their own became a fork of it."""
    threads_new: int = 0
    threads_joined: int = 0
    seconds: float = 0.0

    def saw(self, mail: Seen, *, fresh: bool = True) -> None:
        """Count a mail that was read, now or (not ``fresh``) earlier, and what was wrong with it."""
        self.read += 1
        self.read_earlier += not fresh
        for problem in mail.problems:
            self.problems[problem].add(mail.name)

    def skip(self, name: str, reason: str) -> None:
        """Count a mail that could not be read; fits ``MailSource.mails``."""
        self.skipped.add(f"{name}: {reason}")

    def planned(self, plan: Plan) -> None:
        """Count what the plan decided not to write."""
        self.already_present += len(plan.already_present)
        for record in plan.changed:
            self.changed.add(record.name)
        for duplicate in plan.duplicates:
            tally = self.conflicting_duplicates if duplicate.conflicting else self.duplicates
            tally.add(f"{duplicate.record.name} (kept: {duplicate.kept.name})")
        for record in plan.broken_cycles:
            self.cycles.add(record.name)

    def wrote(self, mails: Iterable[PlannedMail]) -> None:
        """Count mails that were added."""
        for mail in mails:
            self.added += 1
            if mail.date_source is DateSource.HEADER:
                self.dates[mail.date_source].count += 1
            else:
                self.dates[mail.date_source].add(mail.record.name)
            if mail.link is not None:
                self.replies[mail.link] += 1
            if mail.missing_parent is not None:
                self.missing_parents.add(mail.record.name)

    @property
    def replies_with_parent(self) -> int:
        """Replies that sit under a mail, whatever the link."""
        return sum(self.replies.values())

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain data for ``--json``; kinds that did not occur are left out."""
        return {
            "read": self.read,
            "readEarlier": self.read_earlier,
            "added": self.added,
            "addedRead": self.added_read,
            "alreadyPresent": self.already_present,
            "changed": self.changed.as_dict(),
            "leftOut": {reason.value: tally.as_dict() for reason, tally in self.left_out.items() if tally.count},
            "skipped": self.skipped.as_dict(),
            "duplicates": self.duplicates.as_dict(),
            "conflictingDuplicates": self.conflicting_duplicates.as_dict(),
            "problems": {kind.value: tally.as_dict() for kind, tally in self.problems.items() if tally.count},
            "dates": {source.value: tally.as_dict() for source, tally in self.dates.items() if tally.count},
            "repliesWithParent": self.replies_with_parent,
            "repliesByLink": {link.value: count for link, count in self.replies.items() if count},
            "missingParents": self.missing_parents.as_dict(),
            "arrivedParents": self.arrived_parents,
            "forked": self.forked,
            "cycles": self.cycles.as_dict(),
            "threads": {"new": self.threads_new, "joined": self.threads_joined},
            "seconds": round(self.seconds, 3),
        }
