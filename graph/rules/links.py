"""Who writes to whom: messages folded into links from senders to addresses (decision 0019)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median

from graph.rules.figures import Answer, Fact, waited

#: What one answer holds at most: the nodes with most messages, and of the links between them the heaviest.
NODES_MOST, LINKS_MOST = 500, 5_000


class Measured(StrEnum):
    """What the weight of a link counts."""

    MESSAGES = "MESSAGES"
    THREADS = "THREADS"


@dataclass(slots=True)
class Link:
    """What ``sender`` wrote to ``recipient``, an address as written. ``answered`` are messages that he answered."""

    sender: str
    recipient: str
    messages: int = 0
    answered: int = 0
    unanswered: int = 0
    threads: set[str] = field(default_factory=set)
    waits: list[float] = field(default_factory=list)

    def add(self, fact: Fact, answers: Sequence[Answer]) -> None:
        """Count a message, and the answers to it that the recipient gave."""
        self.messages += 1
        self.threads.add(fact.thread)
        self.answered += bool(answers)
        self.unanswered += fact.asks and not answers
        if (seconds := waited(fact, answers)) is not None:
            self.waits.append(seconds)

    @property
    def median_response_seconds(self) -> float | None:
        """How long the recipient's first answer took, the one in the middle; None when none came."""
        return median(self.waits) if self.waits else None

    def weight(self, by: Measured) -> int:
        """Return how heavy it is."""
        return self.messages if by is Measured.MESSAGES else len(self.threads)


@dataclass(frozen=True, slots=True)
class Node:
    """An address of the conversation; ``sent`` and ``received`` are the weights of its links."""

    address: str
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class Projection:
    """The conversation as a weighted graph. ``truncated``: lighter nodes or links were left out."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    by: Measured
    truncated: bool


def folded(facts: Iterable[Fact]) -> list[Link]:
    """Return the links of these messages, by sender and recipient; what one writes to oneself is no conversation."""
    found: dict[tuple[str, str], Link] = {}
    for fact in facts:
        for recipient in dict.fromkeys(fact.recipients):
            if recipient != fact.sender:
                link = found.setdefault((fact.sender, recipient), Link(fact.sender, recipient))
                link.add(fact, _by(recipient, fact.answers))
    return [found[pair] for pair in sorted(found)]


def _by(recipient: str, answers: Sequence[Answer]) -> Sequence[Answer]:
    # For a role or everybody, whoever answers first has answered.
    shared = recipient.startswith("role:") or recipient == "@all"
    return answers if shared else [answer for answer in answers if answer.sender == recipient]


def projected(
    links: Sequence[Link], by: Measured, nodes_most: int = NODES_MOST, links_most: int = LINKS_MOST
) -> Projection:
    """Return the links as a graph of at most so many nodes and links, the heaviest; nodes and links are by name."""
    sent: dict[str, int] = {}
    received: dict[str, int] = {}
    for link in links:
        sent[link.sender] = sent.get(link.sender, 0) + link.weight(by)
        received[link.recipient] = received.get(link.recipient, 0) + link.weight(by)
    names = sorted({*sent, *received}, key=lambda name: (-sent.get(name, 0) - received.get(name, 0), name))
    kept = set(names[:nodes_most])
    between = [link for link in links if link.sender in kept and link.recipient in kept]
    heaviest = sorted(between, key=lambda link: (-link.weight(by), link.sender, link.recipient))[:links_most]
    return Projection(
        nodes=tuple(Node(name, sent.get(name, 0), received.get(name, 0)) for name in sorted(kept)),
        links=tuple(sorted(heaviest, key=lambda link: (link.sender, link.recipient))),
        by=by,
        truncated=len(names) > nodes_most or len(heaviest) < len(links),
    )
