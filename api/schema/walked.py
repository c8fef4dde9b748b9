"""What walking the graph answers with in the API: neighbours, paths, pieces of the graph."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import strawberry

from api.relay import PageInfo
from api.schema.nodes import NOTICE, Node
from api.schema.scalars import EdgeDirection, EdgeType, GraphFormat
from graph.exporting import exported_walk
from graph.records import milliseconds, optional_moment
from graph.rules.walking import Edge


@strawberry.type
class NeighborEdge:
    """A neighbour and what leads to it."""

    cursor: str
    node: Node
    type: EdgeType
    direction: EdgeDirection = strawberry.field(description="OUT: from the node that was asked about; IN: to it.")
    at: datetime | None = strawberry.field(
        description="When the edge was made; where it has no time, when the node was that it begins at."
    )


@strawberry.type(description="A page of neighbours; the newest first within each type.")
class NeighborConnection:
    """A page of neighbours."""

    edges: list[NeighborEdge]
    page_info: PageInfo
    stopped_after: int | None = strawberry.field(
        description="Set when a scan came to its bound of so many edges: then there may be more than are listed."
    )

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type(description="An edge as the graph has it, whichever way it was walked.")
class WalkedEdge:
    """An edge by the ids of its ends."""

    type: EdgeType
    from_: strawberry.ID = strawberry.field(name="from")
    to: strawberry.ID
    at: datetime | None

    @classmethod
    def of(cls, edge: Edge) -> "WalkedEdge":
        """Return the API's edge."""
        return cls(
            type=EdgeType(edge.type),
            from_=strawberry.ID(edge.start),
            to=strawberry.ID(edge.end),
            at=optional_moment(edge.at),
        )


async def written_out(nodes: Sequence[Node], edges: Sequence[WalkedEdge], form: GraphFormat) -> str:
    """Return a piece of the graph as text, made where nobody waits for the event loop; each node and edge once."""
    ids = list(dict.fromkeys(str(node.id) for node in nodes))
    walked = [
        Edge(edge.type, str(edge.from_), str(edge.to), None if edge.at is None else milliseconds(edge.at))
        for edge in edges
    ]
    return await asyncio.to_thread(exported_walk, ids, list(dict.fromkeys(walked)), form)


@strawberry.type(description="A path: its nodes from one end to the other, and the edges between them.")
class WalkedPath:
    """A path."""

    nodes: list[Node]
    edges: list[WalkedEdge]


@strawberry.type(description="The shortest paths between two nodes; none where there is none within the hops.")
class PathResult:
    """What was found between two nodes."""

    paths: list[WalkedPath]
    hops: int | None = strawberry.field(description="How many edges each of them has; null when there is none.")
    stopped: bool = strawberry.field(
        description="Whether a bound was met on the way: then there may be more paths, or shorter ones."
    )

    @strawberry.field(description="All the paths together as text in a format that other programs open.")
    async def export(self, format: GraphFormat) -> str:  # noqa: A002 - what everybody calls it
        """Return the paths as text."""
        nodes = [node for path in self.paths for node in path.nodes]
        return await written_out(nodes, [edge for path in self.paths for edge in path.edges], format)

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type(description="Nodes in the order in which they were reached, and the edges walked between them.")
class Subgraph:
    """A piece of the graph."""

    seeds: list[strawberry.ID] = strawberry.field(description="The ids of the nodes that it begins with.")
    nodes: list[Node]
    edges: list[WalkedEdge]
    stopped: bool = strawberry.field(description="Whether a bound was met on the way: then there is more around it.")

    @strawberry.field(
        description="The piece as text in a format that other programs open: ids, kinds, types and times."
    )
    async def export(self, format: GraphFormat) -> str:  # noqa: A002 - what everybody calls it
        """Return the piece of the graph as text."""
        return await written_out(self.nodes, self.edges, format)

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type(description="Nodes that were found: the best of each kind in turn, of messages the newest.")
class FoundNodes:
    """What a search of nodes found."""

    nodes: list[Node]

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE
