"""What figures of mail are made of, and how they add up (decision 0019 says what each of them means)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from graph.rules.periods import Period


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to a message by somebody else than its sender."""

    sender: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """One message as figures know it, as far as its reader sees. ``answers`` are the oldest first.

    ``begins``: it is the first of its thread and answers nothing in it. ``ends``: it is the last of several.
    """

    id: str
    at: datetime
    sender: str
    thread: str
    kind: str
    asks: bool
    tags: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    begins: bool = False
    ends: bool = False
    sessions: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()

    @property
    def unanswered(self) -> bool:
        """Whether it expects a reply of somebody else, and none came."""
        return self.asks and not self.answers and any(address != self.sender for address in self.recipients)

    @property
    def response_seconds(self) -> float | None:
        """How long the first reply took; None without one, and for one that is dated before what it answers."""
        return waited(self, self.answers[:1])


def waited(fact: Fact, answers: Sequence[Answer]) -> float | None:
    """Return the seconds from a message to the first of these answers; None where they tell nothing."""
    if not answers:
        return None
    seconds = (answers[0].at - fact.at).total_seconds()
    # Imported mail has the dates of other clocks, by which an answer may come first.
    return seconds if seconds >= 0 else None


@dataclass(slots=True)
class Figures:
    """Counts over some messages. All but the median add up over parts."""

    sent: int = 0
    replies: int = 0
    unanswered: int = 0
    threads_started: int = 0
    threads_closed: int = 0
    recipients: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    sessions: Counter[str] = field(default_factory=Counter)
    memories: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)

    def add(self, fact: Fact) -> None:
        """Count a message."""
        self.sent += 1
        self.replies += len(fact.answers)
        self.unanswered += fact.unanswered
        self.threads_started += fact.begins
        # Who asks has not closed anything, however long the others keep silent.
        self.threads_closed += fact.ends and not fact.asks
        self.recipients.update(fact.recipients)
        self.tags.update(fact.tags)
        self.sessions.update(fact.sessions)
        self.memories.update(fact.memories)
        if (seconds := fact.response_seconds) is not None:
            self.waits.append(seconds)

    @property
    def median_response_seconds(self) -> float | None:
        """How long a first reply took, of all that came the one in the middle; None when none came."""
        return median(self.waits) if self.waits else None


def figures(facts: Iterable[Fact]) -> Figures:
    """Return the figures of these messages."""
    counted = Figures()
    for fact in facts:
        counted.add(fact)
    return counted


def series(facts: Iterable[Fact], parts: Sequence[Period]) -> list[Figures]:
    """Return the figures of each part; the parts follow each other, and every message lies in one of them."""
    counted = [Figures() for _ in parts]
    place = 0
    for fact in sorted(facts, key=lambda fact: fact.at):
        while fact.at >= parts[place].until:
            place += 1
        counted[place].add(fact)
    return counted


def ranked(counts: Counter[str], most: int) -> tuple[list[tuple[str, int]], int]:
    """Return the names counted most, equals by name, and how much the others were counted together."""
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return rows[:most], sum(count for _, count in rows[most:])
