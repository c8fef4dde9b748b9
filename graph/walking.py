"""Walking the graph hop by hop: what lies one step from a node, and which of it the reader may see (decision 0018).

A step reads edges, at most so many of each type, and says when it stopped there. Whether the reader may see what they
lead to is asked of the queries that every other path asks, so that nobody walks through what ``node(id)`` hides.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.concepts import concept_cards
from graph.database import Database, Row
from graph.identities import identity_cards
from graph.mailbox import TOP
from graph.memories import memory_cards
from graph.messages import message_cards, ticket_cards
from graph.queries import query
from graph.readers import Reader
from graph.roles import role_cards
from graph.rules.tickets import PREFIX as TICKET
from graph.rules.walking import CONCEPT, Direction, Edge, EdgeType, NodeLabel, label_of, open_types
from graph.scanning import LAST_ID
from graph.sent import FIRST_MOMENT, LAST_MOMENT
from graph.sessions import session_cards
from graph.tasks import task_cards
from graph.threads import thread_cards

START, STEP, MINE = query("walking/start"), query("walking/step"), query("walking/mine")

#: Above every direction: where a first page of ``walking/step`` begins.
FROM_THE_TOP = ("~", "", LAST_ID)
#: The mail of an identity or a role, which other readers reach by way of their own mailboxes.
_MAIL = frozenset({EdgeType.SENT_BY, EdgeType.DELIVERED_TO})


@dataclass(frozen=True, slots=True)
class Step:
    """An edge that leads from ``node`` to ``other``, and where the other is for the step after it."""

    node: str
    other: str
    element: str
    edge: Edge


async def elements(database: Database, ids: Iterable[str]) -> dict[str, str]:
    """Return where each node is, by its id in canonical form; nothing for one that is not there."""
    named = list(ids)
    of = {label: [id_ for id_ in named if label_of(id_) is label] for label in NodeLabel}
    apart = (NodeLabel.IDENTITY, NodeLabel.ROLE, NodeLabel.CONCEPT, NodeLabel.TICKET)
    rows = await database.fetch(
        START,
        {
            "ids": [id_ for label, each in of.items() if label not in apart for id_ in each],
            "handles": of[NodeLabel.IDENTITY],
            "roles": of[NodeLabel.ROLE],
            "concepts": [id_.removeprefix(CONCEPT) for id_ in of[NodeLabel.CONCEPT]],
            "tickets": [id_.removeprefix(TICKET) for id_ in of[NodeLabel.TICKET]],
        },
    )
    return {row["id"]: row["element"] for row in rows}


async def visible(database: Database, reader: Reader, ids: Iterable[str]) -> frozenset[str]:
    """Return those of these nodes that ``reader`` may see, by the rule that each kind of node has everywhere."""
    of: dict[NodeLabel, list[str]] = {}
    for id_ in dict.fromkeys(ids):
        if (label := label_of(id_)) is not None:
            of.setdefault(label, []).append(id_)
    found = await asyncio.gather(*(_SEEN[label](database, reader, each) for label, each in of.items()))
    return frozenset(id_ for each in found for id_ in each)


async def step(
    database: Database, reader: Reader, nodes: Mapping[str, str], types: Iterable[EdgeType], most: int
) -> tuple[list[Step], bool]:
    """Return the edges of these types from ``nodes`` (elements by id), at most so many of each type and node.

    Also tells whether there may have been more. What the edges lead to is not yet known to be the reader's to see.
    """
    wanted = frozenset(types)
    if not nodes or not wanted:
        return [], False
    if reader.everything:
        return await _read(database, reader, nodes, wanted, wanted, most)
    # From identities and roles one's own mail is reached through the indexes of one's own mailboxes.
    addressed = {id_: at for id_, at in nodes.items() if label_of(id_) in (NodeLabel.IDENTITY, NodeLabel.ROLE)}
    own = {id_: at for id_, at in addressed.items() if id_ == reader.handle}
    groups = [
        ({id_: at for id_, at in nodes.items() if id_ not in addressed}, False, wanted),
        ({id_: at for id_, at in addressed.items() if id_ not in own}, False, wanted - _MAIL),
        (own, True, wanted - _MAIL),
    ]
    asked = [
        _read(
            database,
            reader,
            group,
            open_types(of, Direction.OUT, own=mine, everything=False),
            open_types(of, Direction.IN, own=mine, everything=False),
            most,
        )
        for group, mine, of in groups
        if group
    ]
    found = await asyncio.gather(*asked, _mine(database, reader, nodes, wanted, most))
    return [one for steps, _ in found for one in steps], any(stopped for _, stopped in found)


def step_parameters(
    reader: Reader, nodes: Iterable[str], outgoing: Iterable[EdgeType], incoming: Iterable[EdgeType], most: int
) -> dict[str, Any]:
    """Return the parameters of ``walking/step`` for a first page of everything that it reads."""
    direction, type_, before = FROM_THE_TOP
    return {
        "nodes": list(nodes),
        "outgoing": sorted(outgoing),
        "incoming": sorted(incoming),
        **reader.parameters,
        "own": None,
        "most": most,
        "direction": direction,
        "type": type_,
        "before": before,
        "window": most,
    }


def mine_parameters(reader: Reader, addresses: Sequence[str], concepts: Sequence[str], most: int) -> dict[str, Any]:
    """Return the parameters of ``walking/mine``."""
    handles = [address for address in addresses if label_of(address) is NodeLabel.IDENTITY]
    return {
        "oneself": [handle for handle in handles if handle == reader.handle],
        "others": [handle for handle in handles if handle != reader.handle],
        "open": [address for address in addresses if address in reader.mailboxes],
        "closed": [address for address in addresses if address not in reader.mailboxes],
        "addresses": addresses,
        "concepts": concepts,
        "reader": reader.handle,
        "mailboxes": list(reader.mailboxes),
        "top": TOP,
        "first": FIRST_MOMENT,
        "last": LAST_MOMENT,
        "most": most,
    }


async def _read(
    database: Database,
    reader: Reader,
    nodes: Mapping[str, str],
    outgoing: Iterable[EdgeType],
    incoming: Iterable[EdgeType],
    most: int,
) -> tuple[list[Step], bool]:
    names = {element: id_ for id_, element in nodes.items()}
    rows = await database.fetch(STEP, step_parameters(reader, names, outgoing, incoming, most))
    steps = [_step(names[row["node"]], row, found) for row in rows for found in row["found"]]
    return steps, any(row["scanned"] >= most for row in rows)


def _step(node: str, row: Row, found: Row) -> Step:
    other = found["id"]
    start, end = (node, other) if row["direction"] == Direction.OUT else (other, node)
    return Step(node, other, found["element"], Edge(EdgeType(row["type"]), start, end, found["at"]))


async def _mine(
    database: Database, reader: Reader, nodes: Iterable[str], types: frozenset[EdgeType], most: int
) -> tuple[list[Step], bool]:
    """Return what leads from identities, roles and concepts to the reader's own mail."""
    addresses = [id_ for id_ in nodes if label_of(id_) in (NodeLabel.IDENTITY, NodeLabel.ROLE)]
    concepts = [id_.removeprefix(CONCEPT) for id_ in nodes if label_of(id_) is NodeLabel.CONCEPT]
    if not addresses and not concepts:
        return [], False
    steps: list[Step] = []
    counted: dict[tuple[str, str], int] = {}
    for row in await database.fetch(MINE, mine_parameters(reader, addresses, concepts, most)):
        if row["type"] in types:
            edge = Edge(EdgeType(row["type"]), row["id"], row["node"], row["at"])
            steps.append(Step(row["node"], row["id"], row["element"], edge))
            counted[row["node"], row["type"]] = counted.get((row["node"], row["type"]), 0) + 1
    return steps, any(count >= most for count in counted.values())


async def _messages(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await message_cards(database, reader, ids)


async def _threads(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await thread_cards(database, reader, ids)


async def _sessions(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await session_cards(database, reader, ids)


async def _memories(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await memory_cards(database, reader, ids)


async def _tasks(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await task_cards(database, reader, ids)


async def _identities(database: Database, _: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await identity_cards(database, ids)


async def _roles(database: Database, _: Reader, ids: Sequence[str]) -> Iterable[str]:
    return await role_cards(database, ids)


async def _concepts(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    found = await concept_cards(database, reader, [id_.removeprefix(CONCEPT) for id_ in ids])
    # An alias is no node of its own.
    return [f"{CONCEPT}{name}" for name, card in found.items() if card.name == name]


async def _tickets(database: Database, reader: Reader, ids: Sequence[str]) -> Iterable[str]:
    found = await ticket_cards(database, reader, [id_.removeprefix(TICKET) for id_ in ids])
    return [f"{TICKET}{key}" for key in found]


_SEEN: dict[NodeLabel, Callable[[Database, Reader, Sequence[str]], Awaitable[Iterable[str]]]] = {
    NodeLabel.MESSAGE: _messages,
    NodeLabel.THREAD: _threads,
    NodeLabel.SESSION: _sessions,
    NodeLabel.MEMORY: _memories,
    NodeLabel.TASK: _tasks,
    NodeLabel.IDENTITY: _identities,
    NodeLabel.ROLE: _roles,
    NodeLabel.CONCEPT: _concepts,
    NodeLabel.TICKET: _tickets,
}
