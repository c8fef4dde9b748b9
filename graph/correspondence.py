"""What agents wrote to each other, and who writes to whom: the conversation as a weighted graph (decision 0019)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from graph.concepts import filed_names
from graph.database import Database, Row
from graph.history import HISTORY_MOST, Found, Place, asked_of, facts_of, paged, with_answers
from graph.ids import Prefix, lowest_id
from graph.messages import message_cards
from graph.queries import query
from graph.readers import Reader
from graph.records import MessageCard, Page, moment
from graph.rules.addresses import EVERYONE
from graph.rules.figures import Fact
from graph.rules.links import Link, folded
from graph.rules.periods import Period
from graph.scanning import SCAN_MOST, SCAN_WINDOW, Total, count_window, page_window

AMONG, ROLES = query("history/among"), query("history/roles")
SEEN, EVERY = query("history/seen"), query("history/every")
OF_THREAD, OF_SENDERS = query("history/of_thread"), query("history/of_senders")
OF_TICKET = query("history/of_ticket")

#: The agents whose correspondence is asked for at once, and the roles by which it may have come.
BETWEEN_LEAST, BETWEEN_MOST, ROLES_MOST = 2, 10, 1_000
#: An id may say a millisecond less than its message's time, and none before 1970.
_AROUND, _EPOCH = timedelta(milliseconds=2), datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Which messages a conversation is made of; None and () let everything pass, several ``tags`` must all be there.

    ``among`` are the addresses that senders and recipients must be of.
    """

    period: Period
    among: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Who wrote to whom in the ``counted`` part of a period, as far as the reader sees."""

    links: tuple[Link, ...]
    messages: int
    counted: Period
    capped: bool


async def correspondence(
    database: Database, reader: Reader, between: Sequence[str], whole: Period, first: int, after: Place | None
) -> Page[MessageCard, Place]:
    """Return up to ``first`` messages that one of the agents wrote and another of them was sent, oldest first.

    Only what ``reader`` may see, past a time and id. A page reads about 5,000 entries of the index at most.
    """
    # Each agent writes to all others and to what is shared; most of these scans find nothing, and cost nothing.
    window = page_window(len(between), first)
    parameters = await _among(database, between)
    return await paged(database, reader, AMONG, parameters, whole, first, after, window, window)


async def correspondence_total(database: Database, reader: Reader, between: Sequence[str], whole: Period) -> Total:
    """Return how many messages that is, counted to 10,000."""
    window = count_window(len(between))
    asked = {**await _among(database, between), **asked_of(reader, whole, None), "window": window}
    (row,) = await database.fetch(AMONG, asked)
    return Total.of(len(row["found"]), row["scanned"], window)


async def correspondence_of_ticket(
    database: Database,
    reader: Reader,
    between: Sequence[str],
    ticket: str,
    whole: Period,
    first: int,
    after: str | None,
) -> Page[MessageCard, str]:
    """Return up to ``first`` messages of such a correspondence about a ticket, by its key, past an id; oldest first.

    They are those of the threads in which a message that ``reader`` may see refers to the ticket: an answer seldom
    names it again. Of a ticket 10,000 references are looked at, and for a page about 5,000 messages of the threads.
    """
    asked = _of_ticket(reader, between, ticket, whole)
    position, found, scanned, exhausted = after or asked["after"], list[str](), 0, False
    while not exhausted and len(found) <= first and scanned < SCAN_MOST:
        said = {**asked, "after": max(position, asked["after"]), "window": SCAN_WINDOW}
        (row,) = await database.fetch(OF_TICKET, said)
        found += row["found"]
        scanned += row["scanned"]
        exhausted, position = row["scanned"] < SCAN_WINDOW, row["lastId"] or position
    shown, more = found[:first], len(found) > first
    cards = await message_cards(database, reader, shown) if shown else {}
    items = tuple(cards[id_] for id_ in shown if id_ in cards)
    return Page(items, more or not exhausted, shown[-1] if more else position)


async def total_of_ticket(
    database: Database, reader: Reader, between: Sequence[str], ticket: str, whole: Period
) -> Total:
    """Return how many messages that is, counted to 10,000."""
    window = count_window(1)
    (row,) = await database.fetch(OF_TICKET, {**_of_ticket(reader, between, ticket, whole), "window": window})
    return Total.of(len(row["found"]), row["scanned"], window)


async def conversation(
    database: Database, reader: Reader, chosen: ConversationFilter, most: int = HISTORY_MOST
) -> Conversation:
    """Return who wrote to whom of what ``reader`` may see, from at most so many messages of the period, the newest."""
    found = await newest(database, reader, chosen, most)
    names = await filed_names(database, chosen.tags, narrower=False)
    facts = [fact for fact in await facts_of(database, found.ids) if _chosen(fact, chosen, names)]
    links = folded(await with_answers(database, reader, facts))
    if chosen.among:
        among = set(chosen.among)
        links = [link for link in links if link.sender in among and link.recipient in among]
    return Conversation(tuple(links), len(facts), found.counted, found.capped)


async def _among(database: Database, between: Sequence[str]) -> dict[str, Any]:
    roles = await database.fetch(ROLES, {"limit": ROLES_MOST})
    return {"between": list(between), "shared": [EVERYONE, *(row["address"] for row in roles)]}


async def newest(database: Database, reader: Reader, chosen: ConversationFilter, most: int) -> Found:
    """Return the newest messages of the period from the index that selects most of what is wanted.

    What else the filter says is left to whoever reads them.
    """
    whole = chosen.period
    low, high = _surrounding(whole)
    asked: dict[str, Any] = {
        **reader.parameters,
        "since": whole.since,
        "until": whole.until,
        "low": low,
        "high": high,
        "window": most + 1,
        "thread": chosen.thread,
        "senders": list(chosen.among),
    }
    if chosen.thread is not None:
        driver = OF_THREAD
    elif not reader.everything:
        driver = SEEN
    else:
        driver = OF_SENDERS if chosen.among else EVERY
    (row,) = await database.fetch(driver, asked)
    return _found(row, whole, most)


def _of_ticket(reader: Reader, between: Sequence[str], ticket: str, whole: Period) -> dict[str, Any]:
    low, high = _surrounding(whole)
    return {
        **reader.parameters,
        "between": list(between),
        "ticket": ticket,
        "since": whole.since,
        "until": whole.until,
        "after": low,
        "high": high,
        "references": HISTORY_MOST,
    }


def _surrounding(whole: Period) -> tuple[str, str]:
    """Return ids between which those of the period's messages lie."""
    low = lowest_id(Prefix.MESSAGE, max(whole.since, _EPOCH) - _AROUND)
    return low, lowest_id(Prefix.MESSAGE, max(whole.until, _EPOCH) + _AROUND)


def _found(row: Row, whole: Period, most: int) -> Found:
    places = tuple((moment(at), id_) for at, id_ in reversed(row["found"]))
    if row["scanned"] <= most:
        return Found(places, whole, capped=False)
    # Those of one moment are counted together or not at all, so that the rest of the period has all others.
    last = moment(row["lastTime"])
    start = last + _AROUND
    if start >= whole.until:
        return Found(places, Period(last, whole.until), capped=True)
    return Found(tuple(place for place in places if place[0] >= start), Period(start, whole.until), capped=True)


def _chosen(fact: Fact, chosen: ConversationFilter, tags: Sequence[Sequence[str]]) -> bool:
    if chosen.thread is not None and fact.thread != chosen.thread:
        return False
    if chosen.among and fact.sender not in chosen.among:
        return False
    return all(any(name in fact.tags for name in names) for names in tags)
