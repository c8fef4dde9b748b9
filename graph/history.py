"""What one sent in a period, and what came of it: figures, and the list behind them (decision 0019).

All of it is read through indexes by time, and no further than 10,000 messages of a period, the oldest. What is counted
ends at a moment then, and what is after that can be asked for next.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from graph.database import Database, Row
from graph.messages import References, message_cards, references
from graph.queries import Query, query
from graph.readers import Reader
from graph.records import MessageCard, Page, moment
from graph.rules.figures import Answer, Fact
from graph.rules.periods import Period
from graph.scanning import SCAN_MOST, SCAN_WINDOW

OF_SENDER = query("history/of_sender")
FACTS, ANSWERS, ENDS = query("history/facts"), query("history/answers"), query("history/ends")

#: Messages that figures are made of at most, how many of them one query asks about, and the answers to each.
HISTORY_MOST, ASKED_AT_ONCE, ANSWERS_MOST = 10_000, 1_000, 1_000
_MILLISECOND = timedelta(milliseconds=1)

#: A message's time and id, by which lists in order of time are paged.
Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class Found:
    """Messages of a period, the oldest first, and the part of it that has no others for this reader.

    ``capped``: it is shorter than the period, which had more than is read at once.
    """

    places: tuple[Place, ...]
    counted: Period
    capped: bool

    @property
    def ids(self) -> list[str]:
        """The messages' ids."""
        return [id_ for _, id_ in self.places]


@dataclass(frozen=True, slots=True)
class History:
    """What one sent in the ``counted`` part of a period, as far as the reader sees."""

    facts: tuple[Fact, ...]
    counted: Period
    capped: bool


async def sender_history(
    database: Database, reader: Reader, sender: str, whole: Period, most: int = HISTORY_MOST
) -> History:
    """Return what ``sender`` sent in a period, with answers, references and places in threads."""
    found = await sent_in(database, reader, sender, whole, most)
    facts = await facts_of(database, found.ids)
    facts = await with_answers(database, reader, facts)
    facts = await with_references(database, await _with_ends(database, reader, facts))
    return History(tuple(facts), found.counted, found.capped)


async def sent_in(database: Database, reader: Reader, sender: str, whole: Period, most: int = HISTORY_MOST) -> Found:
    """Return the messages of a period by ``sender`` that ``reader`` may see; at most so many are scanned."""
    asked = {**asked_of(reader, whole, None), "sender": sender, "window": most + 1}
    (row,) = await database.fetch(OF_SENDER, asked)
    return _found(row, whole, most)


async def history_page(
    database: Database, reader: Reader, sender: str, whole: Period, first: int, after: Place | None
) -> Page[MessageCard, Place]:
    """Return up to ``first`` of the same messages past a time and id, oldest first; bounded like an inbox page."""
    sees_all = reader.everything or reader.handle == sender
    window = first + 1 if sees_all else max(first + 1, SCAN_WINDOW)
    return await paged(database, reader, OF_SENDER, {"sender": sender}, whole, first, after, window, window)


async def paged(
    database: Database,
    reader: Reader,
    driver: Query,
    parameters: dict[str, Any],
    whole: Period,
    first: int,
    after: Place | None,
    window: int,
    read: int,
) -> Page[MessageCard, Place]:
    """Return a page of the messages that ``driver`` finds in a period, in order of time.

    One query looks at ``window`` messages and may have ``read`` so many entries of indexes for it; of these a page
    reads about 5,000, and comes back short when it meets that bound.
    """
    places: list[Place] = []
    position, scanned, exhausted = after, 0, False
    while not exhausted and len(places) <= first and scanned < SCAN_MOST:
        asked = {**parameters, **asked_of(reader, whole, position), "window": window}
        (row,) = await database.fetch(driver, asked)
        places += _places(row)
        exhausted = row["scanned"] < window
        scanned += read
        position = (moment(row["lastTime"]), row["lastId"]) if row["lastId"] is not None else position
    shown = places[:first]
    more = len(places) > first
    cards = await message_cards(database, reader, [id_ for _, id_ in shown]) if shown else {}
    # What was deleted meanwhile is not there any more.
    items = tuple(cards[id_] for _, id_ in shown if id_ in cards)
    return Page(items, more or not exhausted, shown[-1] if more else position)


async def facts_of(database: Database, ids: Sequence[str]) -> list[Fact]:
    """Return what these messages, found to be the reader's to see, say of themselves; oldest first."""
    facts = [
        Fact(
            id=row["id"],
            at=moment(row["createdAt"]),
            sender=row["sender"],
            thread=row["thread"],
            kind=row["kind"],
            asks=row["expectsReply"],
            tags=tuple(row["tags"]),
            recipients=tuple(sorted(set(row["recipients"]))),
        )
        for some in parts(ids)
        for row in await database.fetch(FACTS, {"ids": some})
    ]
    return sorted(facts, key=lambda fact: (fact.at, fact.id))


async def with_answers(database: Database, reader: Reader, facts: Sequence[Fact]) -> list[Fact]:
    """Return the messages with the answers to them that ``reader`` may see, up to 1,000 each."""
    answers: dict[str, list[Answer]] = defaultdict(list)
    for some in parts([fact.id for fact in facts]):
        asked = {"ids": some, **reader.parameters, "limit": ANSWERS_MOST}
        for row in await database.fetch(ANSWERS, asked):
            answers[row["id"]].append(Answer(row["sender"], moment(row["at"])))
    return [replace(fact, answers=tuple(answers[fact.id])) if fact.id in answers else fact for fact in facts]


async def with_references(database: Database, facts: Sequence[Fact]) -> list[Fact]:
    """Return the messages with the sessions, memories and tickets that they name."""
    found: dict[str, References] = {}
    for some in parts([fact.id for fact in facts]):
        found |= await references(database, some)
    return [_naming(fact, found[fact.id]) for fact in facts]


def parts(ids: Sequence[str]) -> list[list[str]]:
    """Return ids in as many lists as one query each should ask about."""
    return [list(ids[start : start + ASKED_AT_ONCE]) for start in range(0, len(ids), ASKED_AT_ONCE)]


def asked_of(reader: Reader, whole: Period, after: Place | None) -> dict[str, Any]:
    """Return the part of a period after a place as parameters; what lies before it is no part of the index scan."""
    time, id_ = (whole.since, "") if after is None or after[0] < whole.since else after
    return {
        **reader.parameters,
        "since": max(whole.since, time),
        "until": whole.until,
        "afterTime": time,
        "afterId": id_,
    }


async def _with_ends(database: Database, reader: Reader, facts: Sequence[Fact]) -> list[Fact]:
    rows: dict[str, Row] = {}
    for some in parts([fact.id for fact in facts]):
        rows |= {row["id"]: row for row in await database.fetch(ENDS, {"ids": some, **reader.parameters})}
    return [
        replace(fact, begins=row["begins"], ends=row["ends"]) if (row := rows.get(fact.id)) is not None else fact
        for fact in facts
    ]


def _naming(fact: Fact, named: References) -> Fact:
    sessions = dict.fromkeys([*([named.origin_session] if named.origin_session else []), *named.related_sessions])
    return replace(fact, sessions=tuple(sessions), memories=tuple(named.memories), tickets=tuple(named.tickets))


def _found(row: Row, whole: Period, most: int) -> Found:
    places = _places(row)
    if row["scanned"] <= most:
        return Found(tuple(places), whole, capped=False)
    # Those of one moment are counted together or not at all, so that the rest of the period has all others.
    end = moment(row["lastTime"])
    if end <= whole.since:
        return Found(tuple(places), Period(whole.since, end + _MILLISECOND), capped=True)
    return Found(tuple(place for place in places if place[0] < end), Period(whole.since, end), capped=True)


def _places(row: Row) -> list[Place]:
    return [(moment(at), id_) for at, id_ in row["found"]]
