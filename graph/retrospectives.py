"""Looking back at a session, or at what an agent wrote in a period: everything in order, ready to be summed up."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graph.concepts import filed_names
from graph.correspondence import ConversationFilter, newest
from graph.database import Database
from graph.history import HISTORY_MOST, Place, facts_of, sent_in, with_references
from graph.ids import Prefix, is_id
from graph.queries import query
from graph.readers import Reader
from graph.records import moment
from graph.rules.periods import Period
from graph.rules.retrospectives import Item, ItemKind, told

OF_SESSION, SESSION = query("history/of_session"), query("history/session")
OF_CONCEPT = query("history/of_concept")


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


async def of_concept(
    database: Database, reader: Reader, named: str, whole: Period, decisions: Sequence[str], most: int = HISTORY_MOST
) -> Retrospective:
    """Return what a concept, which ``reader`` was found to see, was put on in a period, under any of its names.

    That are messages that he sent with it or has under it in a mailbox, and memories that he kept with it; for who
    sees everything, all that were sent or kept with it. Where more than ``most`` of one kind are under one name, the
    newest ``most`` messages of the period are looked through for what they were sent with, and ``counted`` is the part
    of it that has no others.
    """
    (names,) = await filed_names(database, [named], narrower=False)
    asked = {
        **reader.parameters,
        "own": [] if reader.everything else list(names),
        "every": list(names) if reader.everything else [],
        "since": whole.since,
        "until": whole.until,
        "window": most + 1,
    }
    rows = await database.fetch(OF_CONCEPT, asked)
    places = sorted({(moment(at), id_) for row in rows for at, id_ in row["found"]})
    places = [place for place in places if place[0] in whole]
    memories = [place for place in places if is_id(place[1], Prefix.MEMORY)]
    if all(row["scanned"] <= most for row in rows):
        messages = [place for place in places if not is_id(place[1], Prefix.MEMORY)]
        return Retrospective(tuple(await _items(database, messages, memories, decisions)), whole, capped=False)
    found = await newest(database, reader, ConversationFilter(whole), most)
    tagged = {fact.id for fact in await facts_of(database, found.ids) if not set(names).isdisjoint(fact.tags)}
    items = await _items(
        database,
        [place for place in found.places if place[1] in tagged],
        [place for place in memories if place[0] in found.counted],
        decisions,
    )
    return Retrospective(tuple(items), found.counted, found.capped)


async def _items(
    database: Database, messages: Sequence[Place], memories: Sequence[Place], decisions: Sequence[str]
) -> list[Item]:
    facts = await facts_of(database, [id_ for _, id_ in messages])
    facts = await with_references(database, facts)
    groups = await filed_names(database, decisions, narrower=False)
    return told(facts, memories, {name for names in groups for name in names})
