"""Paths and neighbourhoods, walked hop by hop: only what the reader may see is ever stepped on (decision 0018)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph.database import Database
from graph.readers import Reader
from graph.rules.walking import Edge, EdgeType, Path, Side, joined, meeting, within
from graph.walking import elements, step, visible

#: A hop goes on from so many nodes at most, over so many edges of each type and node.
FRONTIER_MOST, EDGES_MOST = 300, 100


@dataclass(frozen=True, slots=True)
class Paths:
    """All shortest paths that were found, each by its nodes and edges; ``stopped`` when a bound hid part of the graph.

    Then there may be more paths, or shorter ones.
    """

    paths: tuple[Path, ...]
    stopped: bool


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Nodes in the order in which they were reached, and the edges that were walked between them."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    stopped: bool


async def paths(
    database: Database, reader: Reader, start: str, end: str, hops: int, via: Iterable[EdgeType], most: int
) -> Paths:
    """Return up to ``most`` of the shortest paths of at most ``hops`` edges of the types ``via``, either way.

    ``start`` and ``end`` were found to be the reader's to see. Two searches go towards each other, each step from the
    one that has fewer nodes to go on from.
    """
    where = await elements(database, {start, end})
    types = frozenset(via)
    forward, backward = Side(start), Side(end)
    stopped = False
    while not (meets := meeting(forward, backward)) and forward.depth + backward.depth < hops:
        sides = [side for side in (forward, backward) if side.frontier]
        if len(sides) < len((forward, backward)):
            # One of them has seen all that there is to see.
            break
        side = min(sides, key=lambda each: len(each.frontier))
        known = {id_: where[id_] for id_ in side.frontier if id_ in where}
        steps, more = await step(database, reader, known, types, EDGES_MOST)
        seen = await visible(database, reader, (one.other for one in steps))
        where |= {one.other: one.element for one in steps}
        side.advance(((one.node, one.edge) for one in steps), seen)
        cut = len(side.frontier) > FRONTIER_MOST and not meeting(forward, backward)
        stopped = stopped or more or cut
        if cut:
            del side.frontier[FRONTIER_MOST:]
    found = joined(forward, backward, meets, most + 1)
    return Paths(tuple(found[:most]), stopped or len(found) > most)


async def neighborhood(
    database: Database, reader: Reader, seeds: Sequence[str], hops: int, via: Iterable[EdgeType], most: int
) -> Neighborhood:
    """Return up to ``most`` nodes within ``hops`` edges of the seeds, which were found to be the reader's to see."""
    where = await elements(database, seeds)
    types = frozenset(via)
    nodes = dict.fromkeys(list(dict.fromkeys(seeds))[:most])
    edges: list[Edge] = []
    frontier, stopped = list(nodes), False
    for _ in range(hops):
        known = {id_: where[id_] for id_ in frontier[:FRONTIER_MOST] if id_ in where}
        steps, more = await step(database, reader, known, types, EDGES_MOST)
        seen = await visible(database, reader, (one.other for one in steps))
        stopped = stopped or more or len(frontier) > FRONTIER_MOST
        where |= {one.other: one.element for one in steps}
        edges += [one.edge for one in steps if one.other in seen]
        new = dict.fromkeys(one.other for one in steps if one.other in seen and one.other not in nodes)
        frontier = list(new)[: most - len(nodes)]
        stopped = stopped or len(frontier) < len(new)
        nodes |= dict.fromkeys(frontier)
        if not frontier:
            break
    return Neighborhood(tuple(nodes), tuple(within(edges, nodes)), stopped)
