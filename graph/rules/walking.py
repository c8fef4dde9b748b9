"""Walking the graph: what is a node and an edge to whoever walks, and how two searches that meet make paths.

Internal nodes and edges (keys, locks, the derived index of tags, the events of tasks) are not among them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from graph.ids import Prefix, prefix_of
from graph.rules.tickets import PREFIX as TICKET

CONCEPT = "concept:"


class NodeLabel(StrEnum):
    """The labels of nodes that have an id of their own; each value is the graph's label."""

    MESSAGE = "Message"
    THREAD = "Thread"
    SESSION = "Session"
    MEMORY = "Memory"
    TASK = "Task"
    IDENTITY = "AgentIdentity"
    ROLE = "Role"
    CONCEPT = "Concept"
    TICKET = "Ticket"


class EdgeType(StrEnum):
    """The relationship types that can be walked, either way."""

    SENT_BY = "SENT_BY"
    SENT_TO = "SENT_TO"
    DELIVERED_TO = "DELIVERED_TO"
    IN_REPLY_TO = "IN_REPLY_TO"
    PART_OF_THREAD = "PART_OF_THREAD"
    FORKED_FROM = "FORKED_FROM"
    TAGGED_CONCEPT = "TAGGED_CONCEPT"
    ORIGINATES_IN = "ORIGINATES_IN"
    RELATED_SESSION = "RELATED_SESSION"
    ACCEPTED_BY = "ACCEPTED_BY"
    REFERENCES_TICKET = "REFERENCES_TICKET"
    REFERENCES_MEMORY = "REFERENCES_MEMORY"
    CARRIES_TASK = "CARRIES_TASK"
    REMEMBERED_BY = "REMEMBERED_BY"
    RECORDED_IN = "RECORDED_IN"
    HELD_BY = "HELD_BY"
    HAS_ROLE = "HAS_ROLE"
    BROADER = "BROADER"
    CAN_READ_INBOX_OF = "CAN_READ_INBOX_OF"
    CAN_REPLY_TO = "CAN_REPLY_TO"
    BLOCKED_BY = "BLOCKED_BY"


class Direction(StrEnum):
    """Which way an edge points, seen from the node that one stands on."""

    OUT = "OUT"
    IN = "IN"


#: Rights are between two, and no one else's to know; who blocks one is the blocker's to know.
RIGHTS = frozenset({EdgeType.CAN_READ_INBOX_OF, EdgeType.CAN_REPLY_TO, EdgeType.BLOCKED_BY})

_LABELS = {
    Prefix.MESSAGE: NodeLabel.MESSAGE,
    Prefix.THREAD: NodeLabel.THREAD,
    Prefix.SESSION: NodeLabel.SESSION,
    Prefix.MEMORY: NodeLabel.MEMORY,
    Prefix.TASK: NodeLabel.TASK,
}


def label_of(id_: str) -> NodeLabel | None:
    """Return the label that an id in canonical form says, None for what is no id."""
    if id_.startswith("@"):
        return NodeLabel.IDENTITY
    if id_.startswith("role:"):
        return NodeLabel.ROLE
    if id_.startswith(CONCEPT):
        return NodeLabel.CONCEPT
    if id_.startswith(TICKET):
        return NodeLabel.TICKET
    prefix = prefix_of(id_)
    return None if prefix is None else _LABELS.get(prefix)


def open_types(types: Iterable[EdgeType], direction: Direction, *, own: bool, everything: bool) -> frozenset[EdgeType]:
    """Return the types that may be walked that way from a node, which is the reader's ``own`` identity or is not."""
    if everything:
        return frozenset(types)
    closed = RIGHTS if not own else frozenset({EdgeType.BLOCKED_BY} if direction is Direction.OUT else ())
    return frozenset(types) - closed


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge as the graph has it, by the ids of its ends; ``at`` is in milliseconds since 1970."""

    type: EdgeType
    start: str
    end: str
    at: int | None = None

    def other(self, node: str) -> str:
        """Return the end that is not ``node``."""
        return self.end if node == self.start else self.start


@dataclass(slots=True)
class Side:
    """One of two searches that go towards each other: how each node was first reached, all ways of equal length."""

    root: str
    frontier: list[str] = field(default_factory=list)
    depths: dict[str, int] = field(default_factory=dict)
    reached_by: dict[str, dict[str, Edge]] = field(default_factory=dict)
    depth: int = 0

    def __post_init__(self) -> None:
        """Begin at the root."""
        self.frontier = [self.root]
        self.depths = {self.root: 0}

    def advance(self, edges: Iterable[tuple[str, Edge]], seen: frozenset[str]) -> None:
        """Go one step: ``edges`` lead from nodes of the frontier, and only to those in ``seen`` does it go."""
        self.depth += 1
        reached: dict[str, None] = {}
        for node, edge in edges:
            other = edge.other(node)
            if other in seen and self.depths.setdefault(other, self.depth) == self.depth:
                # Of several edges between the same two the first of the types stands for all.
                known = self.reached_by.setdefault(other, {})
                rank = list(EdgeType).index
                if node not in known or rank(edge.type) < rank(known[node].type):
                    known[node] = edge
                reached[other] = None
        self.frontier = sorted(reached)

    def ways_to(self, node: str) -> Iterator[tuple[tuple[str, ...], tuple[Edge, ...]]]:
        """Return every shortest way from the root to a node that was reached, as nodes and the edges between them."""
        if node == self.root:
            yield (node,), ()
            return
        for before in sorted(self.reached_by[node]):
            for nodes, edges in self.ways_to(before):
                yield (*nodes, node), (*edges, self.reached_by[node][before])


@dataclass(frozen=True, slots=True)
class Path:
    """A path: its nodes from one end to the other, and the edges between them."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]


def meeting(forward: Side, backward: Side) -> list[str]:
    """Return the nodes at which the two searches have met, sorted; none while they have not."""
    return sorted(node for node in forward.frontier if backward.depths.get(node) == backward.depth)


def joined(forward: Side, backward: Side, meets: Iterable[str], most: int) -> list[Path]:
    """Return up to ``most`` of the shortest paths that lead through the nodes at which the searches met."""
    paths: list[Path] = []
    for meet in meets:
        for nodes, edges in forward.ways_to(meet):
            for back_nodes, back_edges in backward.ways_to(meet):
                paths.append(Path((*nodes, *reversed(back_nodes[:-1])), (*edges, *reversed(back_edges))))
                if len(paths) >= most:
                    return paths
    return paths


def within(edges: Iterable[Edge], nodes: Mapping[str, object]) -> list[Edge]:
    """Return the edges whose two ends are among ``nodes``, each once and in order."""
    return sorted(
        {edge for edge in edges if edge.start in nodes and edge.end in nodes},
        key=lambda edge: (edge.start, edge.type, edge.end),
    )
