"""Messages and what hangs on them, read in batches: what the API's loaders ask.

``reader`` is the caller; what he may not see is simply not in the answer (DESIGN §3.10). Functions that take no reader
are for messages that were found to be his to see already.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graph.database import Database
from graph.ids import Prefix, is_id
from graph.queries import query
from graph.readers import Reader
from graph.records import MessageCard, Page, message_card

CARDS, BODIES, RECIPIENTS = query("messages/cards"), query("messages/bodies"), query("messages/recipients")
REFERENCES, TICKETS = query("messages/references"), query("messages/tickets")
REPLIES, REPLY_COUNTS = query("messages/replies"), query("messages/reply_counts")


@dataclass(frozen=True, slots=True)
class Addressee:
    """An address as written, and whether it stood in To or Cc."""

    address: str
    kind: str


@dataclass(slots=True)
class References:
    """What a message refers to, by id or key. ``answers`` is the id of the message or memory it replies to."""

    answers: str | None = None
    origin_session: str | None = None
    related_sessions: list[str] = field(default_factory=list)
    tickets: list[str] = field(default_factory=list)
    memories: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TicketCard:
    """A work item of a tracker."""

    key: str
    url: str | None


async def message_cards(database: Database, reader: Reader, ids: Iterable[str]) -> dict[str, MessageCard]:
    """Return the messages of these ids that ``reader`` may see: those he sent, and those in his mailbox."""
    wanted = [id_ for id_ in ids if is_id(id_, Prefix.MESSAGE)]
    rows = await database.fetch(CARDS, {"ids": wanted, **reader.parameters}) if wanted else []
    return {card.id: card for card in map(message_card, rows)}


async def bodies(database: Database, ids: Sequence[str]) -> dict[str, str]:
    """Return the body of each message."""
    return {row["id"]: row["bodyText"] for row in await database.fetch(BODIES, {"ids": ids})}


async def recipients(database: Database, ids: Sequence[str]) -> dict[str, list[Addressee]]:
    """Return to whom each message was addressed, To before Cc. Nothing for a message addressed to nobody."""
    found: dict[str, list[Addressee]] = defaultdict(list)
    for row in await database.fetch(RECIPIENTS, {"ids": ids}):
        found[row["id"]].append(Addressee(row["address"], row["kind"]))
    return found


async def references(database: Database, ids: Sequence[str]) -> dict[str, References]:
    """Return what each message refers to; an empty ``References`` where it refers to nothing."""
    found = {id_: References() for id_ in ids}
    for row in await database.fetch(REFERENCES, {"ids": ids}):
        of, target = found[row["id"]], row["target"]
        match row["type"]:
            case "IN_REPLY_TO":
                of.answers = target
            case "ORIGINATES_IN":
                of.origin_session = target
            case "RELATED_SESSION":
                of.related_sessions.append(target)
            case "REFERENCES_TICKET":
                of.tickets.append(target)
            case _:
                of.memories.append(target)
    return found


async def replies(
    database: Database, reader: Reader, ids: Sequence[str], first: int, after: str | None
) -> dict[str, Page[MessageCard, str]]:
    """Return for each message a page of the replies that ``reader`` may see, oldest first, past the id ``after``."""
    rows = await database.fetch(
        REPLIES, {"ids": list(ids), **reader.parameters, "after": after or "", "limit": first + 1}
    )
    found: dict[str, list[MessageCard]] = {id_: [] for id_ in ids}
    for row in rows:
        found[row["parent"]].append(message_card(row))
    return {
        id_: Page(tuple(cards[:first]), len(cards) > first, cards[:first][-1].id if cards else None)
        for id_, cards in found.items()
    }


async def reply_counts(database: Database, reader: Reader, ids: Sequence[str], most: int) -> dict[str, int]:
    """Return how many direct replies to each message ``reader`` may see, counted no further than ``most``."""
    rows = await database.fetch(REPLY_COUNTS, {"ids": list(ids), **reader.parameters, "limit": most})
    return {row["id"]: row["replies"] for row in rows}


async def ticket_cards(database: Database, reader: Reader, keys: Sequence[str]) -> dict[str, TicketCard]:
    """Return the tickets of these keys that a message ``reader`` may see refers to."""
    rows = await database.fetch(TICKETS, {"keys": list(keys), **reader.parameters})
    return {row["key"]: TicketCard(row["key"], row["url"]) for row in rows}
