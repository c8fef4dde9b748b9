"""Measures and exports of the conversation, opened again by networkx and held to Gephi's rules (issue 5)."""

import csv
import io
import json
import re
from datetime import datetime

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.exporting import GraphFormat, exported, exported_walk
from graph.measuring import directed, measured
from graph.rules.links import Link, Measured, Projection, projected
from graph.rules.walking import Edge, EdgeType

addresses = st.one_of(
    st.from_regex(r"@[a-z0-9][a-z0-9._-]{0,8}[a-z0-9]", fullmatch=True), st.sampled_from(("role:desk", "@all"))
)


@st.composite
def conversations(draw: st.DrawFn) -> Projection:
    people = draw(st.lists(addresses, max_size=8, unique=True))
    pairs = [(one, other) for one in people for other in people if one != other]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)) if pairs else []
    links = []
    for one, other in sorted(chosen):
        many = draw(st.integers(1, 9))
        threads = {f"thr_{number}" for number in range(draw(st.integers(1, many)))}
        waits = draw(st.lists(st.floats(0, 1e7), max_size=3))
        links.append(Link(one, other, many, len(waits), many - 1, threads, waits))
    return projected(links, Measured.MESSAGES)


def linked(*pairs: tuple[str, str, int]) -> Projection:
    return projected([Link(one, other, many, threads={"thr_1"}) for one, other, many in pairs], Measured.MESSAGES)


def edges(graph: "nx.Graph[str]") -> dict[tuple[str, str], int]:
    return {(one, other): int(said["weight"]) for one, other, said in graph.edges(data=True)}


def weights(projection: Projection) -> dict[tuple[str, str], int]:
    return {(link.sender, link.recipient): link.messages for link in projection.links}


@given(conversations())
def test_networkx_opens_its_json_again(projection: Projection) -> None:
    said = json.loads(exported(projection, GraphFormat.JSON))
    graph = nx.node_link_graph(said, edges="edges")
    assert graph.is_directed()
    assert sorted(graph.nodes) == [node.address for node in projection.nodes]
    assert edges(graph) == weights(projection)


@given(conversations())
def test_networkx_opens_its_graphml_again(projection: Projection) -> None:
    graph = nx.read_graphml(io.BytesIO(exported(projection, GraphFormat.GRAPHML).encode()))
    assert sorted(graph.nodes) == [node.address for node in projection.nodes]
    assert edges(graph) == weights(projection)
    assert dict(graph.nodes.items()) == dict(directed(projection).nodes.items())
    assert {(one, other): said for one, other, said in graph.edges(data=True)} == {
        (one, other): said for one, other, said in directed(projection).edges(data=True)
    }


@given(conversations())
def test_gephi_can_read_the_tables(projection: Projection) -> None:
    """Gephi: nodes have Id and Label, edges Source, Target, Type, Id, Label and a numeric Weight; ids are unique."""
    nodes = list(csv.DictReader(io.StringIO(exported(projection, GraphFormat.CSV_NODES))))
    links = list(csv.DictReader(io.StringIO(exported(projection, GraphFormat.CSV_EDGES))))
    ids = [row["Id"] for row in nodes]
    assert ids == [row["Label"] for row in nodes] == [node.address for node in projection.nodes]
    assert len({row["Id"] for row in links}) == len(links)
    assert {row["Type"] for row in links} <= {"Directed"}
    assert {(row["Source"], row["Target"]): int(row["Weight"]) for row in links} == weights(projection)
    assert all({row["Source"], row["Target"]} <= set(ids) and row["Label"] for row in links)


@given(conversations())
def test_networkx_opens_the_tables_again(projection: Projection) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for row in csv.DictReader(io.StringIO(exported(projection, GraphFormat.CSV_NODES))):
        graph.add_node(row["Id"], sent=int(row["Sent"]), received=int(row["Received"]))
    rows = csv.DictReader(io.StringIO(exported(projection, GraphFormat.CSV_EDGES)))
    graph.add_weighted_edges_from((row["Source"], row["Target"], float(row["Weight"])) for row in rows)
    assert edges(graph) == weights(projection)
    assert {id_: (said["sent"], said["received"]) for id_, said in graph.nodes(data=True)} == {
        node.address: (node.sent, node.received) for node in projection.nodes
    }


WALK_NODES = ("@ada", "msg_01h2xcejqtf2nbrexx3vqjhp41", "ticket:neo#1", 'concept:a "b"')
walks = st.lists(
    st.builds(
        Edge,
        st.sampled_from(EdgeType),
        st.sampled_from(WALK_NODES),
        st.sampled_from(WALK_NODES),
        st.none() | st.integers(0, 4_000_000_000_000),
    ),
    unique_by=lambda edge: (edge.start, edge.type, edge.end),
    max_size=12,
)


@given(walks)
def test_a_piece_of_the_graph_is_opened_again(walk: list[Edge]) -> None:
    """Several edges between the same two nodes are several there too; nodes without edges are there."""
    wanted = sorted((edge.start, edge.end, edge.type.value) for edge in walk)
    times = sorted(edge.at for edge in walk if edge.at is not None)
    said = json.loads(exported_walk(WALK_NODES, walk, GraphFormat.JSON))
    for graph in (
        nx.node_link_graph(said, edges="edges"),
        nx.read_graphml(
            io.BytesIO(exported_walk(WALK_NODES, walk, GraphFormat.GRAPHML).encode()), force_multigraph=True
        ),
    ):
        assert graph.is_directed()
        assert sorted(graph.nodes) == sorted(WALK_NODES)
        assert graph.nodes["ticket:neo#1"]["kind"] == "Ticket"
        found = list(graph.edges(data=True))
        assert sorted((one, other, data["type"]) for one, other, data in found) == wanted
        at = sorted(datetime.fromisoformat(data["at"]).timestamp() * 1000 for *_, data in found if "at" in data)
        assert at == pytest.approx(times)
    nodes = list(csv.DictReader(io.StringIO(exported_walk(WALK_NODES, walk, GraphFormat.CSV_NODES))))
    links = list(csv.DictReader(io.StringIO(exported_walk(WALK_NODES, walk, GraphFormat.CSV_EDGES))))
    assert [(row["Id"], row["Label"]) for row in nodes] == [(id_, id_) for id_ in WALK_NODES]
    assert sorted((row["Source"], row["Target"], row["Label"]) for row in links) == wanted
    assert {(row["Type"], row["Weight"]) for row in links} <= {("Directed", "1")}
    assert len({row["Id"] for row in links}) == len(links)
    dot = exported_walk(WALK_NODES, walk, GraphFormat.DOT)
    assert dot.count(" -> ") == len(walk)
    assert '"concept:a \\"b\\"" [kind="Concept"];' in dot


@pytest.mark.parametrize(("form", "columns"), [(GraphFormat.CSV_NODES, 4), (GraphFormat.CSV_EDGES, 11)])
def test_empty_tables_have_their_columns(form: GraphFormat, columns: int) -> None:
    (header,) = csv.reader(io.StringIO(exported(linked(), form)))
    assert len(header) == columns


DOT_EDGE = re.compile(r'  "((?:[^"\\]|\\.)*)" -> "((?:[^"\\]|\\.)*)" \[weight=(\d+), label="\d+"\];')


@given(conversations())
def test_dot_names_every_node_and_edge(projection: Projection) -> None:
    first, *lines, last = exported(projection, GraphFormat.DOT).splitlines()
    assert (first, last) == ("digraph conversation {", "}")
    nodes, links = lines[: len(projection.nodes)], lines[len(projection.nodes) :]
    assert nodes == [f'  "{node.address}";' for node in projection.nodes]
    found = [DOT_EDGE.fullmatch(line) for line in links]
    assert {(m[1], m[2]): int(m[3]) for m in found if m} == weights(projection)
    assert len(found) == len(projection.links)


def test_whatever_is_in_a_name_stays_in_it() -> None:
    """Addresses have no such letters; whoever widens them does not open a hole here."""
    evil = "@a\"];\n}\\<&>,'=1"
    projection = linked((evil, "@bea", 1))
    assert '"@a\\"];\\n}\\\\<&>,\'=1"' in exported(projection, GraphFormat.DOT)
    graph = nx.read_graphml(io.BytesIO(exported(projection, GraphFormat.GRAPHML).encode()))
    assert len(graph.edges) == 1
    rows = list(csv.DictReader(io.StringIO(exported(projection, GraphFormat.CSV_EDGES), newline="")))
    assert rows[0]["Source"] == evil


def test_measures_say_who_stands_between() -> None:
    """Two triangles that only ``@hub`` joins: it is between all others, and they are two communities."""
    ring = [("@a", "@b", 5), ("@b", "@c", 5), ("@c", "@a", 5), ("@x", "@y", 5), ("@y", "@z", 5), ("@z", "@x", 5)]
    bridge = [("@a", "@hub", 1), ("@hub", "@a", 1), ("@hub", "@x", 1), ("@x", "@hub", 1)]
    found = {one.address: one for one in measured(linked(*ring, *bridge))}
    assert max(found.values(), key=lambda one: one.betweenness).address in {"@hub", "@a", "@x"}
    assert found["@hub"].betweenness > found["@b"].betweenness
    assert (found["@hub"].in_degree, found["@hub"].out_degree) == (2, 2)
    assert sum(one.page_rank for one in found.values()) == pytest.approx(1)
    assert {found[name].community for name in ("@a", "@b", "@c")} != {
        found[name].community for name in ("@x", "@y", "@z")
    }
    assert len({found[name].community for name in ("@a", "@b", "@c")}) == 1


@given(conversations())
def test_measures_are_of_every_node_and_the_same_each_time(projection: Projection) -> None:
    found = measured(projection)
    assert found == measured(projection)
    assert [one.address for one in found] == [node.address for node in projection.nodes]
