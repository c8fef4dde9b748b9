"""Looking back at a session, or at what an agent wrote in a period: everything in order, ready to be summed up."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graph.concepts import filed_names
from graph.database import Database
from graph.history import HISTORY_MOST, Place, facts_of, sent_in, with_references
from graph.queries import query
from graph.readers import Reader
from graph.records import moment
from graph.rules.periods import Period
from graph.rules.retrospectives import Item, ItemKind, told

OF_SESSION, SESSION = query("history/of_session"), query("history/session")


@dataclass(frozen=True, slots=True)
class Retrospective:
    """The items in order of time, all of the ``counted`` part of the period, and how many there are of each kind."""

    items: tuple[Item, ...]
    counted: Period
    capped: bool

    @property
    def counts(self) -> Counter[ItemKind]:
        """How many items there are of each kind."""
        return Counter(item.kind for item in self.items)


async def of_handle(
    database: Database, reader: Reader, handle: str, whole: Period, decisions: Sequence[str]
) -> Retrospective:
    """Return what ``handle`` sent in a period and what that speaks of, as far as ``reader`` sees.

    ``decisions`` are tags; one of them, under any name that means the same, makes a message a decision.
    """
    found = await sent_in(database, reader, handle, whole)
    items = await _items(database, found.places, (), decisions)
    return Retrospective(tuple(items), found.counted, found.capped)


async def of_session(
    database: Database, reader: Reader, named: str, whole: Period, decisions: Sequence[str], most: int = HISTORY_MOST
) -> Retrospective | None:
    """Return what belongs to a session: what was sent in it, names it or was accepted by it, and the memories kept.

    The session is named by its id or, by its own agent, as the harness does. None when the reader may not see it.
    """
    (row,) = await database.fetch(SESSION, {"name": named, "reader": reader.handle})
    if row["session"] is None:
        return None
    asked = {"session": row["session"], "window": most + 1, **reader.parameters}
    (row,) = await database.fetch(OF_SESSION, asked)
    if not row["own"] and not row["found"]:
        return None
    messages = [(moment(at), id_) for at, id_ in row["found"]]
    memories = [(moment(at), id_) for at, id_ in row["memories"]]
    # What is left out is the newest of either, so that everything up to the last of a list that was cut is there.
    ends = [places[most][0] for places in (messages, memories) if len(places) > most]
    counted = Period(whole.since, max(whole.since, min([whole.until, *ends])))
    items = await _items(
        database,
        [place for place in messages if place[0] in counted],
        [place for place in memories if place[0] in counted],
        decisions,
    )
    return Retrospective(tuple(items), counted, capped=counted.until < whole.until)


async def _items(
    database: Database, messages: Sequence[Place], memories: Sequence[Place], decisions: Sequence[str]
) -> list[Item]:
    facts = await facts_of(database, [id_ for _, id_ in messages])
    facts = await with_references(database, facts)
    groups = await filed_names(database, decisions, narrower=False)
    return told(facts, memories, {name for names in groups for name in names})
