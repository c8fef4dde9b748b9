"""What a retrospective tells, in order: what was written, and each ticket and memory where it is first spoken of."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graph.rules.figures import Fact


class ItemKind(StrEnum):
    """What an item is. A handover that is tagged as a decision is a handover."""

    MESSAGE = "MESSAGE"
    HANDOVER = "HANDOVER"
    DECISION = "DECISION"
    TICKET = "TICKET"
    MEMORY = "MEMORY"


@dataclass(frozen=True, slots=True)
class Item:
    """One item: of a message, ``target`` is its id; of a ticket or memory its key or id, ``message`` what named it.

    ``anchor`` and ``place`` order items of one moment: the id of the message or memory, and the place in it.
    """

    kind: ItemKind
    at: datetime
    anchor: str
    place: int
    target: str
    message: str | None

    @property
    def key(self) -> tuple[datetime, str, int]:
        """What items are ordered by; no two are equal, and what comes later lies after."""
        return self.at, self.anchor, self.place


def told(facts: Iterable[Fact], kept: Iterable[tuple[datetime, str]], decisions: Collection[str]) -> list[Item]:
    """Return the items of these messages and of the memories ``kept`` meanwhile (time and id), in order of time.

    ``decisions`` are the tags of which one makes a message a decision.
    """
    events: list[tuple[datetime, str, Fact | None]] = [(fact.at, fact.id, fact) for fact in facts]
    events += [(at, id_, None) for at, id_ in kept]
    items: list[Item] = []
    known: set[tuple[ItemKind, str]] = set()
    for at, anchor, fact in sorted(events, key=lambda event: event[:2]):
        if fact is None:
            named = [(ItemKind.MEMORY, anchor)]
        else:
            items.append(Item(_kind(fact, decisions), at, anchor, 0, anchor, anchor))
            named = [(ItemKind.TICKET, key) for key in sorted(fact.tickets)]
            named += [(ItemKind.MEMORY, id_) for id_ in sorted(fact.memories)]
        fresh = [one for one in named if one not in known]
        known.update(fresh)
        message = None if fact is None else fact.id
        items += [Item(kind, at, anchor, place, target, message) for place, (kind, target) in enumerate(fresh, 1)]
    return items


def items_after(items: Sequence[Item], key: tuple[datetime, str, int] | None) -> Sequence[Item]:
    """Return the items that lie after a place, whether there still is one there or not."""
    return items if key is None else [item for item in items if item.key > key]


def _kind(fact: Fact, decisions: Collection[str]) -> ItemKind:
    if fact.kind == "HANDOVER":
        return ItemKind.HANDOVER
    return ItemKind.DECISION if any(tag in decisions for tag in fact.tags) else ItemKind.MESSAGE
