"""Neighbours of one node, page by page: hubs by the index that has their edges in order, others by a bounded scan."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from graph.database import Database
from graph.errors import RefusalCode, Refused
from graph.mailbox import TOP
from graph.queries import Query, query
from graph.readers import Reader
from graph.records import moment, optional_moment
from graph.rules.walking import CONCEPT, Direction, EdgeType, NodeLabel, label_of, open_types
from graph.scanning import LAST_ID, SCAN_MOST, SCAN_WINDOW
from graph.sent import FIRST_MOMENT, LAST_MOMENT
from graph.walking import FROM_THE_TOP, STEP, elements, step_parameters, visible

MEMBERS, WRITTEN, RECEIVED = query("walking/members"), query("walking/written"), query("walking/received")
ENTRIES, ENTRIES_FROM = query("walking/entries"), query("walking/entries_from")
TAGGED, ADDRESSED = query("walking/tagged"), query("walking/addressed")

_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which neighbours: of these edge types, directions and labels."""

    types: frozenset[EdgeType] = frozenset(EdgeType)
    directions: frozenset[Direction] = frozenset(Direction)
    labels: frozenset[NodeLabel] = frozenset(NodeLabel)


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A node one step away; ``at`` is when the edge was made, or the node that it begins at where it has no time.

    ``place`` is where it stands in its list: the source, and the place within that.
    """

    id: str
    type: EdgeType
    direction: Direction
    at: datetime | None
    place: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Neighbors:
    """A page of neighbours, and where the next one goes on.

    ``stopped`` when a scan came to its bound, so that there may be more than are listed.
    """

    items: tuple[Neighbor, ...]
    has_next: bool
    stopped: bool
    end: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    """What a source gave; a neighbour without an id is passed over."""

    found: Sequence[Neighbor]
    exhausted: bool
    stopped: bool = False


class _Source(Protocol):
    @property
    def name(self) -> str: ...

    async def read(self, database: Database, place: str | None, window: int) -> _Read: ...


async def neighbors(
    database: Database, reader: Reader, node: str, chosen: Chosen, first: int, after: tuple[str, str] | None
) -> Neighbors:
    """Return up to ``first`` neighbours of a node that ``reader`` was found to see, past the place ``after``.

    About 5,000 edges of each source are looked at for a page. Who sees everything goes on from there; for others that
    source ends, since a place that they may not see is none to go on from.
    Raises Refused with INVALID_INPUT for a place that is none of this list.
    """
    known = await elements(database, [node])
    if node not in known:
        return Neighbors((), has_next=False, stopped=False)
    sources = _sources(reader, node, known[node], chosen)
    if after is not None:
        names = [source.name for source in sources]
        if after[0] not in names:
            raise _no_place()
        sources = sources[names.index(after[0]) :]
    found: list[Neighbor] = []
    stopped, place = False, None if after is None else after[1]
    for source in sources:
        scanned, window, exhausted = 0, first + 1, False
        while not exhausted and len(found) <= first:
            if scanned >= SCAN_MOST:
                stopped = True
                if reader.everything and place is not None:
                    return Neighbors(tuple(found), has_next=True, stopped=True, end=(source.name, place))
                # A place that the reader may not see is none to go on from.
                break
            read = await source.read(database, place, window)
            found += await _seen(database, reader, chosen, read.found, first + 1 - len(found))
            scanned += len(read.found)
            place = read.found[-1].place[1] if read.found else place
            exhausted, stopped, window = read.exhausted, stopped or read.stopped, SCAN_WINDOW
        if len(found) > first:
            return Neighbors(tuple(found[:first]), has_next=True, stopped=stopped, end=found[first - 1].place)
        place = None
    return Neighbors(tuple(found), has_next=False, stopped=stopped)


async def _seen(
    database: Database, reader: Reader, chosen: Chosen, read: Iterable[Neighbor], enough: int
) -> list[Neighbor]:
    """Return the neighbours that are wanted and the reader's to see, in order; after ``enough`` nothing more is asked.

    A scan gives thousands at once, and a page needs few of them.
    """
    wanted = [one for one in read if one.id and label_of(one.id) in chosen.labels]
    found: list[Neighbor] = []
    for start in range(0, len(wanted), SCAN_WINDOW):
        some = wanted[start : start + SCAN_WINDOW]
        seen = await visible(database, reader, (one.id for one in some))
        found += [one for one in some if one.id in seen]
        if len(found) >= enough:
            break
    return found


def _sources(reader: Reader, node: str, element: str, chosen: Chosen) -> list[_Source]:
    """Return where the neighbours come from, in the order in which they are listed."""
    label, everything = label_of(node), reader.everything
    ways = {
        way: set(
            open_types(
                chosen.types if way in chosen.directions else (),
                way,
                own=node == reader.handle,
                everything=everything,
            )
        )
        for way in Direction
    }
    incoming = ways[Direction.IN]
    indexed: list[_Source] = []
    own = None
    if label is NodeLabel.THREAD and EdgeType.PART_OF_THREAD in incoming:
        incoming.remove(EdgeType.PART_OF_THREAD)
        indexed.append(_ById("members", EdgeType.PART_OF_THREAD, MEMBERS, {"thread": node}))
    if label in (NodeLabel.IDENTITY, NodeLabel.ROLE):
        if not everything and EdgeType.SENT_TO in incoming:
            own = reader.handle
            said = {"sender": own, "address": node}
            indexed.append(_ByTime("addressed", EdgeType.SENT_TO, ADDRESSED, said))
        if EdgeType.SENT_BY in incoming:
            incoming.remove(EdgeType.SENT_BY)
            indexed += _written(reader, node)
        if EdgeType.DELIVERED_TO in incoming:
            incoming.remove(EdgeType.DELIVERED_TO)
            indexed.append(_entries(reader, node))
    if label is NodeLabel.CONCEPT and not everything and EdgeType.TAGGED_CONCEPT in incoming:
        own = reader.handle
        said = {"sender": own, "concept": node.removeprefix(CONCEPT)}
        indexed.append(_ByTime("tagged", EdgeType.TAGGED_CONCEPT, TAGGED, said))
    scan = _Scan(reader, element, ways[Direction.OUT], incoming, own)
    if NodeLabel.MESSAGE not in chosen.labels:
        # The indexes lead to messages alone.
        indexed = []
    return [scan, *indexed] if ways[Direction.OUT] or incoming else indexed


def _written(reader: Reader, node: str) -> list[_Source]:
    if reader.everything or node == reader.handle:
        return [_ByTime("written", EdgeType.SENT_BY, WRITTEN, {"sender": node})]
    return [
        _ByUid(
            f"received {mailbox}",
            EdgeType.SENT_BY,
            RECEIVED,
            {"mailbox": mailbox, "earlier": list(reader.mailboxes[:position]), "sender": node},
        )
        for position, mailbox in enumerate(reader.mailboxes)
    ]


def _entries(reader: Reader, node: str) -> _Source:
    if reader.everything or node in reader.mailboxes:
        return _ByUid("entries", EdgeType.DELIVERED_TO, ENTRIES, {"mailbox": node})
    said = {"mailbox": node, "sender": reader.handle}
    return _ByUid("entries_from", EdgeType.DELIVERED_TO, ENTRIES_FROM, said)


@dataclass(frozen=True, slots=True)
class _Scan:
    """Edges that no index has in order: at most 5,000 of each type, by type, the newest ids first."""

    reader: Reader
    element: str
    outgoing: Iterable[EdgeType]
    incoming: Iterable[EdgeType]
    own: str | None

    @property
    def name(self) -> str:
        return "scan"

    async def read(self, database: Database, place: str | None, window: int) -> _Read:
        parts = FROM_THE_TOP if place is None else tuple(place.split(" ", 2))
        if len(parts) != len(FROM_THE_TOP):
            raise _no_place()
        # What is not the reader's is no place to go on from, so what may hold such things is read as a whole.
        limit = window if self.reader.everything else SCAN_MOST
        asked = {
            **step_parameters(self.reader, [self.element], self.outgoing, self.incoming, SCAN_MOST),
            "own": self.own,
            **dict(zip(("direction", "type", "before"), parts, strict=True)),
            "window": limit,
        }
        found: list[Neighbor] = []
        rows = await database.fetch(STEP, asked)
        for row in rows:
            for one in row["found"]:
                kind, way = EdgeType(row["type"]), Direction(row["direction"])
                at = (self.name, f"{way} {kind} {one['id']}")
                found.append(Neighbor(one["id"], kind, way, optional_moment(one["at"]), at))
            if len(row["found"]) >= limit and self.reader.everything:
                # What follows would come before the rest of this type.
                return _Read(found, exhausted=False, stopped=_bounded(rows))
        return _Read(found, exhausted=True, stopped=_bounded(rows))


def _bounded(rows: Sequence[dict[str, Any]]) -> bool:
    return any(row["scanned"] >= SCAN_MOST for row in rows)


@dataclass(frozen=True, slots=True)
class _Indexed:
    """Messages in the order of an index; ``said`` names what the index begins with."""

    name: str
    type: EdgeType
    query: Query
    said: dict[str, Any]

    def after(self, place: str | None) -> dict[str, Any]:
        """Return the parameters that say where to go on."""
        raise NotImplementedError

    def place(self, row: dict[str, Any]) -> str:
        """Return the place of a row."""
        raise NotImplementedError

    async def read(self, database: Database, place: str | None, window: int) -> _Read:
        rows = await database.fetch(self.query, {**self.said, **self.after(place), "window": window})
        found = [
            Neighbor(row["id"] or "", self.type, Direction.IN, optional_moment(row["at"]), (self.name, self.place(row)))
            for row in rows
        ]
        return _Read(found, exhausted=len(rows) < window)


class _ById(_Indexed):
    def after(self, place: str | None) -> dict[str, Any]:
        return {"after": place or ""}

    def place(self, row: dict[str, Any]) -> str:
        return str(row["id"])


class _ByUid(_Indexed):
    def after(self, place: str | None) -> dict[str, Any]:
        return {"before": TOP if place is None else _number(place)}

    def place(self, row: dict[str, Any]) -> str:
        return str(row["uid"])


class _ByTime(_Indexed):
    def after(self, place: str | None) -> dict[str, Any]:
        time, _, id_ = (place or "").partition(" ")
        before = {"beforeTime": LAST_MOMENT, "beforeId": LAST_ID}
        if place is not None:
            try:
                before = {"beforeTime": moment(_number(time)), "beforeId": id_}
            except OverflowError as error:
                raise _no_place() from error
        return {**before, "since": FIRST_MOMENT}

    def place(self, row: dict[str, Any]) -> str:
        return f"{row['at']} {row['id']}"


def _number(text: str) -> int:
    try:
        number = int(text[:20])
    except ValueError as error:
        raise _no_place() from error
    if not -_INT64 <= number < _INT64:
        raise _no_place()
    return number


def _no_place() -> Refused:
    return Refused(RefusalCode.INVALID_INPUT, "after is not a cursor of this list; start without it.", field="after")
