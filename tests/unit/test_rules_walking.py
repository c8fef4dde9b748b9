"""Two searches that go towards each other find what one that goes all the way finds (issue 5, decision 0018)."""

from collections.abc import Iterable

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from graph.rules.walking import (
    Direction,
    Edge,
    EdgeType,
    NodeLabel,
    Side,
    joined,
    label_of,
    meeting,
    open_types,
    within,
)

NODES = [f"@{letter}" for letter in "abcdefgh"]
edges_of = st.lists(
    st.builds(Edge, st.sampled_from(list(EdgeType)[:3]), st.sampled_from(NODES), st.sampled_from(NODES)), max_size=20
)


def found(edges: Iterable[Edge], start: str, end: str, hops: int, most: int) -> list[tuple[str, ...]]:
    """Walk as ``graph.paths`` does, on edges that are at hand."""
    known = list(edges)
    forward, backward = Side(start), Side(end)
    while not (meets := meeting(forward, backward)) and forward.depth + backward.depth < hops:
        if not forward.frontier or not backward.frontier:
            break
        side = min((forward, backward), key=lambda each: len(each.frontier))
        leading = [(node, edge) for node in side.frontier for edge in known if node in (edge.start, edge.end)]
        side.advance(leading, frozenset(NODES))
    return [path.nodes for path in joined(forward, backward, meets, most)]


@given(edges_of, st.sampled_from(NODES), st.sampled_from(NODES), st.integers(1, 6))
def test_all_shortest_paths_are_those_of_networkx(edges: list[Edge], start: str, end: str, hops: int) -> None:
    graph = nx.Graph([(edge.start, edge.end) for edge in edges])
    graph.add_nodes_from(NODES)
    expected: set[tuple[str, ...]] = set()
    if nx.has_path(graph, start, end):
        expected = {tuple(path) for path in nx.all_shortest_paths(graph, start, end) if len(path) <= hops + 1}
    paths = found(edges, start, end, hops, 1_000)
    assert set(paths) == expected
    assert len(paths) == len(expected)
    assert len(found(edges, start, end, hops, 1)) == min(1, len(expected))


def test_the_edges_of_a_path_join_its_nodes() -> None:
    edges = [Edge(EdgeType.SENT_BY, "@b", "@a"), Edge(EdgeType.SENT_TO, "@b", "@c")]
    forward, backward = Side("@a"), Side("@c")
    forward.advance([("@a", edges[0])], frozenset({"@b"}))
    backward.advance([("@c", edges[1])], frozenset({"@b"}))
    (path,) = joined(forward, backward, meeting(forward, backward), 5)
    assert (path.nodes, path.edges) == (("@a", "@b", "@c"), tuple(edges))


def test_nothing_is_stepped_on_that_is_not_seen() -> None:
    side = Side("@a")
    side.advance([("@a", Edge(EdgeType.SENT_BY, "@a", "@b"))], frozenset())
    assert side.frontier == []


def test_an_id_says_its_label() -> None:
    assert [label_of(id_) for id_ in ("@ada", "role:desk", "concept:lamp", "ticket:a#1", "x", "cred_x")] == [
        NodeLabel.IDENTITY,
        NodeLabel.ROLE,
        NodeLabel.CONCEPT,
        NodeLabel.TICKET,
        None,
        None,
    ]
    assert label_of("msg_01h2xcejqtf2nbrexx3vqjhp41") is NodeLabel.MESSAGE
    assert label_of("cred_01h2xcejqtf2nbrexx3vqjhp41") is None


def test_rights_are_open_at_ones_own_identity_and_to_analysts() -> None:
    rights = {EdgeType.BLOCKED_BY, EdgeType.CAN_REPLY_TO}
    assert open_types(rights, Direction.OUT, own=False, everything=False) == set()
    assert open_types(rights, Direction.OUT, own=True, everything=False) == {EdgeType.CAN_REPLY_TO}
    assert open_types(rights, Direction.IN, own=True, everything=False) == rights
    assert open_types(rights, Direction.OUT, own=False, everything=True) == rights


def test_edges_within_are_those_with_both_ends_there() -> None:
    edge = Edge(EdgeType.SENT_BY, "@a", "@b")
    assert within([edge, edge, Edge(EdgeType.SENT_BY, "@a", "@c")], {"@a": 1, "@b": 2}) == [edge]
