"""The graph in the API: neighbours, paths and neighbourhoods, over nothing but what the caller may see."""

import asyncio
from collections.abc import Iterable
from typing import Annotated

import strawberry

from api.context import Info
from api.relay import After, First, check_first, decode_cursor, encode_cursor, page_info
from api.schema.inputs import said
from api.schema.lookup import load_node
from api.schema.nodes import Node
from api.schema.scalars import EdgeDirection, EdgeType, NodeLabel
from api.schema.walked import (
    FoundNodes,
    NeighborConnection,
    NeighborEdge,
    PathResult,
    Subgraph,
    WalkedEdge,
    WalkedPath,
)
from graph import neighbors as adjoining
from graph import paths as walking
from graph.errors import RefusalCode, Refused
from graph.node_search import SEARCHED, search_nodes
from graph.rules import walking as rules
from graph.rules.searching import search_terms
from graph.scanning import SCAN_MOST

Types = Annotated[
    list[EdgeType] | None, strawberry.argument(description="Only edges of these types; of any when left out.")
]
Hops = Annotated[int | None, strawberry.argument(description="How many edges at most; `limits` says what is allowed.")]
Limit = Annotated[int | None, strawberry.argument(description="How many at most; `limits` says what is allowed.")]

_PATHS, _NODES, _SEEDS = 5, 50, 10


def check_bound(value: int | None, default: int, most: int, field: str, limit: str) -> int:
    """Return an argument's value. Raises Refused when it is below 1, or above what is published as ``limit``."""
    number = default if value is None else value
    if number < 1:
        raise Refused(RefusalCode.INVALID_INPUT, f"{field} is {number}; ask for 1 to {most}.", field=field)
    if number > most:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED, f"{field} is {number}; at most {most} is allowed ({limit}).", field=field
        )
    return number


def walked_types(types: Iterable[EdgeType] | None, field: str) -> frozenset[rules.EdgeType]:
    """Return the types to walk: those that were named, or all. Raises Refused for an empty list."""
    named = said(types)
    if named is None:
        return frozenset(rules.EdgeType)
    chosen = frozenset(named)
    if not chosen:
        raise Refused(RefusalCode.INVALID_INPUT, f"{field} is empty; name a type, or leave it out.", field=field)
    return chosen


async def load_nodes(info: Info, ids: Iterable[str]) -> dict[str, Node]:
    """Return the nodes of these ids that are still there for the caller, in order."""
    named = list(ids)
    found = await asyncio.gather(*(load_node(info, id_) for id_ in named))
    return {id_: node for id_, node in zip(named, found, strict=True) if node is not None}


async def load_subgraph(info: Info, seeds: list[str], hops: int, via: frozenset[rules.EdgeType], most: int) -> Subgraph:
    """Return what lies round nodes that were found to be the caller's to see."""
    context = info.context
    found = await walking.neighborhood(context.graph.database, context.reader, seeds, hops, via, most)
    nodes = await load_nodes(info, found.nodes)
    return Subgraph(
        seeds=[strawberry.ID(id_) for id_ in seeds if id_ in nodes],
        nodes=list(nodes.values()),
        edges=[WalkedEdge.of(edge) for edge in rules.within(found.edges, nodes)],
        stopped=found.stopped,
    )


async def found_ids(info: Info, query: str, labels: list[NodeLabel] | None, first: int) -> list[str]:
    """Return the ids of nodes that have every word of the query. Raises Refused for a kind that cannot be searched."""
    named = said(labels)
    chosen = SEARCHED if named is None else tuple(named)
    if unknown := [label for label in chosen if label not in SEARCHED]:
        able = ", ".join(label.name for label in SEARCHED)
        raise Refused(RefusalCode.INVALID_INPUT, f"labels has {unknown[0].name}; search for {able}.", field="labels")
    graph, reader = info.context.graph, info.context.reader
    return await search_nodes(graph.database, reader, search_terms(query, graph.limits), chosen, first)


@strawberry.type
class GraphQuery:
    """Queries that walk."""

    @strawberry.field(description="What is one edge away from a node; null when there is no node that you may see.")
    async def neighbors(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002 - the usual name
        types: Types = strawberry.UNSET,
        direction: EdgeDirection | None = strawberry.UNSET,
        labels: list[NodeLabel] | None = strawberry.UNSET,
        first: First = 20,
        after: After = None,
    ) -> NeighborConnection | None:
        """Return a page of neighbours."""
        context = info.context
        reader, size = context.reader, check_first(first, context.limits)
        way, kinds = said(direction), said(labels)
        chosen = adjoining.Chosen(
            walked_types(types, "types"),
            frozenset(rules.Direction) if way is None else frozenset({way}),
            frozenset(rules.NodeLabel if kinds is None else kinds),
        )
        node = await load_node(info, id)
        if node is None:
            return None
        scope = f"neighbors:{node.id}"
        key = decode_cursor(scope, after, str, str)
        place = None if key is None else (str(key[0]), str(key[1]))
        page = await adjoining.neighbors(context.graph.database, reader, node.id, chosen, size, place)
        nodes = await load_nodes(info, (one.id for one in page.items))
        edges = [
            NeighborEdge(
                cursor=encode_cursor(scope, *one.place),
                node=nodes[one.id],
                type=EdgeType(one.type),
                direction=EdgeDirection(one.direction),
                at=one.at,
            )
            for one in page.items
            if one.id in nodes
        ]
        cursors = [edge.cursor for edge in edges]
        end = None if page.end is None else encode_cursor(scope, *page.end)
        return NeighborConnection(
            edges=edges,
            page_info=page_info(cursors, has_next=page.has_next, after=after, end=end),
            stopped_after=SCAN_MOST if page.stopped else None,
        )

    @strawberry.field(
        description="The shortest paths between two nodes, over edges of the types in `via`, whichever way they point, "
        "and over nothing that you may not see; null when one of the two is not there for you."
    )
    async def path(
        self,
        info: Info,
        from_: Annotated[strawberry.ID, strawberry.argument(name="from")],
        to: strawberry.ID,
        max_hops: Hops = 4,
        via: Types = strawberry.UNSET,
        limit: Limit = _PATHS,
    ) -> PathResult | None:
        """Return paths."""
        context = info.context
        reader, limits = context.reader, context.limits
        hops = check_bound(max_hops, 4, limits.path_hops_max, "maxHops", "pathHopsMax")
        most = check_bound(limit, _PATHS, limits.paths_max, "limit", "pathsMax")
        types = walked_types(via, "via")
        ends = [await load_node(info, id_) for id_ in (from_, to)]
        start, end = ends
        if start is None or end is None:
            return None
        found = await walking.paths(context.graph.database, reader, start.id, end.id, hops, types, most)
        nodes = await load_nodes(info, dict.fromkeys(id_ for path in found.paths for id_ in path.nodes))
        whole = [path for path in found.paths if all(id_ in nodes for id_ in path.nodes)]
        return PathResult(
            paths=[
                WalkedPath(nodes=[nodes[id_] for id_ in path.nodes], edges=[WalkedEdge.of(edge) for edge in path.edges])
                for path in whole
            ],
            hops=len(whole[0].edges) if whole else None,
            stopped=found.stopped,
        )

    @strawberry.field(description="What lies within some edges of a node; null when there is none that you may see.")
    async def subgraph(
        self,
        info: Info,
        seed: strawberry.ID,
        hops: Hops = 1,
        via: Types = strawberry.UNSET,
        limit: Limit = _NODES,
    ) -> Subgraph | None:
        """Return a piece of the graph."""
        limits = info.context.limits
        far = check_bound(hops, 1, limits.subgraph_hops_max, "hops", "subgraphHopsMax")
        most = check_bound(limit, _NODES, limits.subgraph_nodes_max, "limit", "subgraphNodesMax")
        types = walked_types(via, "via")
        info.context.identification.required()
        node = await load_node(info, seed)
        return None if node is None else await load_subgraph(info, [node.id], far, types, most)

    @strawberry.field(
        description="Messages, memories, sessions, identities and concepts that have every word. Of memories and "
        "sessions your own are found."
    )
    async def search_nodes(
        self, info: Info, query: str, labels: list[NodeLabel] | None = strawberry.UNSET, first: First = 20
    ) -> FoundNodes:
        """Return nodes."""
        found = await found_ids(info, query, labels, check_first(first, info.context.limits))
        return FoundNodes(nodes=list((await load_nodes(info, found)).values()))

    @strawberry.field(description="The ten best that `searchNodes` finds, and what lies within some edges of them.")
    async def search_graph(
        self,
        info: Info,
        query: str,
        hops: Hops = 1,
        via: Types = strawberry.UNSET,
        limit: Limit = _NODES,
    ) -> Subgraph:
        """Return a piece of the graph."""
        limits = info.context.limits
        far = check_bound(hops, 1, limits.search_hops_max, "hops", "searchHopsMax")
        most = check_bound(limit, _NODES, limits.subgraph_nodes_max, "limit", "subgraphNodesMax")
        types = walked_types(via, "via")
        return await load_subgraph(info, await found_ids(info, query, None, _SEEDS), far, types, most)
