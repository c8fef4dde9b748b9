"""What tags mean, and the concepts that a reader may see (DESIGN §3.10: the others are as if they were not there)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph.database import Database, Row, Transaction
from graph.errors import RefusalCode, Refused
from graph.queries import query
from graph.readers import Reader
from graph.records import ConceptCard, Page, concept_card
from graph.rules.text import shown
from graph.scanning import COUNT_MOST, SCAN_MOST, SCAN_WINDOW, Scan

MEANT = query("concepts/meant")
CARDS, LIST = query("concepts/cards"), query("concepts/list")
RELATIONS, COUNTS = query("concepts/relations"), query("concepts/counts")
OF_MESSAGES = query("messages/concepts")

#: Later than any name.
_END = "\U0010ffff"
#: The narrower concepts that one concept shows.
NARROWER_MOST = 200

#: The names that one tag of a filter may stand for, its aliases and narrower concepts included.
NAMES_MOST = 200


@dataclass(frozen=True, slots=True)
class Meaning:
    """The concept that a tag means, and the names that stand for it, its own first."""

    concept: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relations:
    """What the ontology says of a concept, by names in order."""

    aliases: tuple[str, ...]
    broader: tuple[str, ...]
    narrower: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """Entries of an inbox that are filed under a concept; ``capped`` when there may be more of either."""

    entries: int
    unread: int
    capped: bool


@dataclass(frozen=True, slots=True)
class TaggedWith:
    """A concept of a message, and whether its sender (SENDER) or automatic tagging (AUTO) put it there."""

    concept: ConceptCard
    source: str


async def meanings(reading: Database | Transaction, tags: Sequence[str], *, narrower: bool = False) -> list[Meaning]:
    """Return what each tag means, in order; a tag that is neither alias nor known means itself.

    With ``narrower`` its names are also those of all concepts below it. Raises Refused with LIMIT_EXCEEDED when that
    would be more than 200.
    """
    asked = {"names": list(tags), "narrower": narrower, "most": NAMES_MOST + 1}
    run = reading.fetch if isinstance(reading, Database) else reading.run
    rows = {row["name"]: row for row in await run(MEANT, asked)}
    return [_meaning(tag, rows[tag]) for tag in tags]


async def filed_names(database: Database, tags: Sequence[str], *, narrower: bool) -> list[tuple[str, ...]]:
    """Return for each tag of a filter the names that what it selects may be filed under; asks nothing for no tags."""
    if not tags:
        return []
    return [meaning.names for meaning in await meanings(database, tags, narrower=narrower)]


async def known_names(database: Database, tags: Sequence[str], field: str) -> tuple[str, ...]:
    """Return every name under which what these tags mean may be filed: the concepts' own and all their aliases'.

    What is narrower has names of its own, which are not among them. Raises Refused with INVALID_INPUT, naming
    ``field``, for a tag that nothing here has ever had and no concept is called.
    """
    if not tags:
        return ()
    rows = await database.fetch(MEANT, {"names": list(tags), "narrower": False, "most": NAMES_MOST + 1})
    for row in rows:
        if row["concept"] is None:
            raise Refused(
                RefusalCode.INVALID_INPUT,
                f"{field} {shown(row['name'])} means nothing here: no concept or alias is called so, and nothing "
                "ever had that tag; correct it, or leave it out.",
                field=field,
            )
    return tuple(dict.fromkeys(name for row in rows for name in _meaning(row["name"], row).names))


def _meaning(tag: str, row: Row) -> Meaning:
    concept = row["concept"] or tag
    if len(row["names"]) > NAMES_MOST:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"tags: {shown(tag)} stands for more than {NAMES_MOST} concepts with all that is narrower; name a narrower "
            "one.",
            field="tags",
        )
    return Meaning(concept, (concept, *sorted(set(row["names"]) - {concept})))


async def concept_cards(database: Database, reader: Reader, names: Sequence[str]) -> dict[str, ConceptCard]:
    """Return by the name asked, of an alias the concept that it stands for, those that ``reader`` may see."""
    rows = await database.fetch(CARDS, {"names": list(names), **reader.parameters})
    return {row["asked"]: concept_card(row) for row in rows}


async def concepts(
    database: Database, reader: Reader, prefix: str, registered: bool | None, first: int, after: tuple[str, int] | None
) -> Page[ConceptCard, tuple[str, int]]:
    """Return up to ``first`` concepts that ``reader`` may see, by name, past a name and that many others after it.

    ``prefix`` is how their names begin, in canonical form. Scans at most 5,000 concepts; a page that hits that bound
    comes back short, with ``has_next``.
    """
    name, skip = after or ("", 0)
    asked: dict[str, Any] = {
        "start": max(prefix, name),
        "end": prefix + _END,
        "after": name,
        "registered": registered,
        "window": SCAN_WINDOW,
        **reader.parameters,
    }
    scan = Scan()
    while not scan.exhausted and len(scan.items) <= first and scan.scanned < SCAN_MOST:
        (row,) = await database.fetch(LIST, {**asked, "skip": skip})
        scan.add(row["concepts"], row["scanned"], SCAN_WINDOW, 1)
        skip += row["scanned"]
    items = tuple(concept_card(found) for found in scan.items[:first])
    more = len(scan.items) > first
    # Where the scan stopped is said by number: the name that stands there may be one that the reader must not learn.
    return Page(items, more or not scan.exhausted, (items[-1].name, 0) if more else (name, skip))


async def relations(database: Database, names: Sequence[str]) -> dict[str, Relations]:
    """Return what the ontology says of concepts that were found to be visible; all it names is registered."""
    rows = await database.fetch(RELATIONS, {"names": list(names), "most": NARROWER_MOST})
    return {
        row["name"]: Relations(tuple(row["aliases"]), tuple(row["broader"]), tuple(row["narrower"])) for row in rows
    }


async def counts(database: Database, mailbox: str, names: Sequence[str]) -> dict[str, Counts]:
    """Return how many entries of the mailbox's inbox each concept has, its aliases' among them, counted to 10,000."""
    rows = await database.fetch(COUNTS, {"mailbox": mailbox, "names": list(names), "most": COUNT_MOST + 1})
    return {
        row["name"]: Counts(
            min(row["entries"], COUNT_MOST), min(row["unread"], COUNT_MOST), capped=row["entries"] > COUNT_MOST
        )
        for row in rows
    }


async def message_concepts(database: Database, ids: Sequence[str]) -> dict[str, list[TaggedWith]]:
    """Return what messages that were found to be visible are tagged with, the sender's tags first."""
    found: dict[str, list[TaggedWith]] = {id_: [] for id_ in ids}
    for row in await database.fetch(OF_MESSAGES, {"ids": list(ids)}):
        found[row["id"]].append(TaggedWith(concept_card(row), row["source"]))
    return found
