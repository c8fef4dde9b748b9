"""What agents wrote to each other, and who writes to whom: the conversation as a weighted graph (decision 0019)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from graph.concepts import filed_names
from graph.database import Database, Row
from graph.history import HISTORY_MOST, Found, Place, asked_of, facts_of, paged, with_answers
from graph.ids import Prefix, lowest_id
from graph.queries import query
from graph.readers import Reader
from graph.records import MessageCard, Page, moment
from graph.rules.addresses import EVERYONE
from graph.rules.figures import Fact
from graph.rules.links import Link, folded
from graph.rules.periods import Period
from graph.scanning import Total, count_window, page_window

AMONG, ROLES = query("history/among"), query("history/roles")
SEEN, EVERY = query("history/seen"), query("history/every")
OF_THREAD, OF_SENDERS = query("history/of_thread"), query("history/of_senders")

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


async def conversation(
    database: Database, reader: Reader, chosen: ConversationFilter, most: int = HISTORY_MOST
) -> Conversation:
    """Return who wrote to whom of what ``reader`` may see, from at most so many messages of the period, the newest."""
    found = await _newest(database, reader, chosen, most)
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


async def _newest(database: Database, reader: Reader, chosen: ConversationFilter, most: int) -> Found:
    """Return the newest messages of the period from the index that selects most of what is wanted."""
    whole = chosen.period
    asked: dict[str, Any] = {
        **reader.parameters,
        "since": whole.since,
        "until": whole.until,
        "low": lowest_id(Prefix.MESSAGE, max(whole.since, _EPOCH) - _AROUND),
        "high": lowest_id(Prefix.MESSAGE, max(whole.until, _EPOCH) + _AROUND),
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
