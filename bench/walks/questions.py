"""What is asked: threads, neighbours of hubs, paths, and what ``looking`` and ``ldbc`` add to it (issue 5)."""

from typing import Any

from bench.letters import COMMON_TAG, READER
from bench.requests import PAGE, THREAD
from bench.scripts import Listener
from bench.walks.asking import ALL, HUB, PEER, Question
from bench.walks.ldbc import ldbc
from bench.walks.looking import looking_back
from bench.walks.shapes import ASHORE, AT_SEA, NORTH, SOUTH, Shapes
from graph.messages import bodies, message_cards
from graph.neighbors import Chosen, neighbors
from graph.paths import paths
from graph.readers import Reader
from graph.rules.limits import THREAD_MEMBERS
from graph.rules.walking import CONCEPT, Direction, EdgeType
from graph.scanning import SCAN_MOST
from graph.threadlists import ThreadFilter, threads
from graph.threads import rebuilt, spans, thread_cards, thread_page
from graph.walking import visible

HOPS, PATHS = 4, 5

THREADS = """
query Threads($first: Int) {
  threads(first: $first) {
    edges { cursor node { id subject messageCount lastMessageAt } }
    pageInfo { hasNextPage endCursor }
  }
}
"""
NEIGHBORS = """
query Neighbors($id: ID!, $types: [EdgeType!], $direction: EdgeDirection, $first: Int) {
  neighbors(id: $id, types: $types, direction: $direction, first: $first) {
    edges { cursor type direction at node { id ... on Message { subject createdAt sender { handle } } } }
    pageInfo { hasNextPage endCursor }
    stoppedAfter
  }
}
"""
PATH = """
query Path($from: ID!, $to: ID!, $maxHops: Int, $limit: Int) {
  path(from: $from, to: $to, maxHops: $maxHops, limit: $limit) {
    hops stopped
    paths { nodes { id ... on Message { subject createdAt } } edges { type from to at } }
  }
}
"""


def questions(shapes: Shapes) -> list[Question]:
    """Return everything that is asked, in the order it is measured."""
    hub = {"id": READER, "types": [EdgeType.DELIVERED_TO.value], "direction": Direction.IN.value}
    entries = Chosen(frozenset({EdgeType.DELIVERED_TO}), frozenset({Direction.IN}))
    tag = f"{CONCEPT}{COMMON_TAG}"
    return [
        *(_thread(shapes, count) for count in shapes.sizes.threads),
        _threads("threads", PEER, PAGE),
        # One page scans 5,000 messages at most, and all of them may be of one thread.
        _threads("threads, the longest on top", HUB, 1),
        _neighbors("neighbours of a hub, its entries", HUB, hub, entries),
        _neighbors("neighbours of a hub, of all types", HUB, {"id": READER}, Chosen()),
        _neighbors("neighbours of a hub, by an analyst", ALL, {"id": READER}, Chosen()),
        _neighbors("neighbours of a tag, on 3 in 10", HUB, {"id": tag}, Chosen()),
        _path(f"path of {HOPS} hops", NORTH, SOUTH, HUB),
        _path(f"path of {HOPS} hops, by an analyst", NORTH, SOUTH, ALL),
        _path(f"path of {HOPS} hops between the busy", ASHORE, AT_SEA, ALL),
        *looking_back(shapes),
        *ldbc(shapes),
    ]


def _thread(shapes: Shapes, count: int) -> Question:
    thread = shapes.threads[count]

    async def use(database: Listener) -> object:
        await thread_cards(database, HUB, [thread])
        places = (await rebuilt(database, HUB, [thread]))[thread].places
        members = [place.message for place in thread_page(places, PAGE, None).items if place.message is not None]
        await message_cards(database, HUB, members)
        return await bodies(database, members)

    def answered(data: dict[str, Any]) -> bool:
        return len(data["thread"]["messages"]["edges"]) == min(PAGE, count)

    return Question(f"thread of {count:,}", HUB, THREAD, {"id": thread, "first": PAGE}, answered, use)


def _threads(what: str, reader: Reader, least: int) -> Question:
    async def use(database: Listener) -> object:
        page = await threads(database, reader, ThreadFilter(), PAGE, None, THREAD_MEMBERS)
        ids = [one.id for one in page.items]
        return await thread_cards(database, reader, ids), await spans(database, reader, ids)

    def answered(data: dict[str, Any]) -> bool:
        return least <= len(data["threads"]["edges"]) <= PAGE

    return Question(what, reader, THREADS, {"first": PAGE}, answered, use)


def _neighbors(what: str, reader: Reader, said: dict[str, Any], chosen: Chosen) -> Question:
    async def use(database: Listener) -> object:
        page = await neighbors(database, reader, said["id"], chosen, PAGE, None)
        return await visible(database, reader, (said["id"], *(one.id for one in page.items)))

    def answered(data: dict[str, Any]) -> bool:
        page = data["neighbors"]
        return len(page["edges"]) == PAGE and page["stoppedAfter"] in (None, SCAN_MOST)

    return Question(what, reader, NEIGHBORS, {**said, "first": PAGE}, answered, use)


def _path(what: str, start: str, end: str, reader: Reader) -> Question:
    async def use(database: Listener) -> object:
        found = await paths(database, reader, start, end, HOPS, EdgeType, PATHS)
        return await visible(database, reader, (node for path in found.paths for node in path.nodes))

    def answered(data: dict[str, Any]) -> bool:
        return data["path"] is not None and data["path"]["hops"] == HOPS

    said = {"from": start, "to": end, "maxHops": HOPS, "limit": PATHS}
    return Question(what, reader, PATH, said, answered, use)
