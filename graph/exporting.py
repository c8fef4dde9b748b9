"""The conversation, and pieces of the graph, as files that other programs open. None of them holds anybody's text."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from graph.measuring import directed
from graph.rules.links import Link, Projection
from graph.rules.walking import Edge, label_of

if TYPE_CHECKING:
    import networkx as nx


class GraphFormat(StrEnum):
    """How a graph is written out; CSV is two files, the columns of which are Gephi's."""

    JSON = "JSON"
    GRAPHML = "GRAPHML"
    CSV_NODES = "CSV_NODES"
    CSV_EDGES = "CSV_EDGES"
    DOT = "DOT"


def exported(projection: Projection, form: GraphFormat) -> str:
    """Return a graph in the format that is asked for."""
    match form:
        case GraphFormat.JSON:
            return _node_link(projection)
        case GraphFormat.GRAPHML:
            return _graphml(projection)
        case GraphFormat.CSV_NODES:
            return _nodes(projection)
        case GraphFormat.CSV_EDGES:
            return _edges(projection)
        case GraphFormat.DOT:
            return _dot(projection)


def exported_walk(nodes: Sequence[str], edges: Sequence[Edge], form: GraphFormat) -> str:
    """Return a piece of the graph, by ids, in the format that is asked for; every end of an edge is among the nodes.

    Between two nodes there may be several edges, one of each type, which is their label.
    """
    match form:
        case GraphFormat.JSON:
            return _as_node_link(_walked(nodes, edges))
        case GraphFormat.GRAPHML:
            return _as_graphml(_walked(nodes, edges))
        case GraphFormat.CSV_NODES:
            return _csv(["Id", "Label", "Kind"], [[id_, id_, _kind(id_)] for id_ in nodes])
        case GraphFormat.CSV_EDGES:
            rows: list[list[str | int | float]] = [
                [edge.start, edge.end, "Directed", number, edge.type.value, 1, _time(edge)]
                for number, edge in enumerate(edges)
            ]
            return _csv(["Source", "Target", "Type", "Id", "Label", "Weight", "At"], rows)
        case GraphFormat.DOT:
            drawn = [f"  {_quoted(id_)} [kind={_quoted(_kind(id_))}];" for id_ in nodes]
            drawn += [
                f"  {_quoted(edge.start)} -> {_quoted(edge.end)} [label={_quoted(edge.type.value)}];" for edge in edges
            ]
            return "\n".join(["digraph walk {", *drawn, "}", ""])


def _walked(nodes: Sequence[str], edges: Sequence[Edge]) -> "nx.MultiDiGraph[str]":
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for id_ in nodes:
        graph.add_node(id_, label=id_, kind=_kind(id_))
    for number, edge in enumerate(edges):
        said = {"type": edge.type.value, "at": _time(edge)}
        graph.add_edge(edge.start, edge.end, number, **{name: value for name, value in said.items() if value})
    return graph


def _kind(id_: str) -> str:
    label = label_of(id_)
    return "" if label is None else label.value


def _time(edge: Edge) -> str:
    return "" if edge.at is None else datetime.fromtimestamp(edge.at / 1000, UTC).isoformat(timespec="milliseconds")


def _node_link(projection: Projection) -> str:
    return _as_node_link(directed(projection))


def _graphml(projection: Projection) -> str:
    return _as_graphml(directed(projection))


def _as_node_link(graph: "nx.DiGraph[str]") -> str:
    import networkx as nx

    return json.dumps(nx.node_link_data(graph, edges="edges"), ensure_ascii=False, indent=1)


def _as_graphml(graph: "nx.DiGraph[str]") -> str:
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph)) + "\n"


def _nodes(projection: Projection) -> str:
    rows: list[list[str | int | float]] = [
        [node.address, node.address, node.sent, node.received] for node in projection.nodes
    ]
    return _csv(["Id", "Label", "Sent", "Received"], rows)


def _edges(projection: Projection) -> str:
    columns = ["Source", "Target", "Type", "Id", "Label", "Weight", "Messages", "Threads", "Answered", "Unanswered"]
    rows: list[list[str | int | float]] = [
        [
            link.sender,
            link.recipient,
            "Directed",
            number,
            _label(link),
            link.weight(projection.by),
            link.messages,
            len(link.threads),
            link.answered,
            link.unanswered,
            "" if link.median_response_seconds is None else link.median_response_seconds,
        ]
        for number, link in enumerate(projection.links)
    ]
    return _csv([*columns, "MedianResponseSeconds"], rows)


def _csv(columns: list[str], rows: list[list[str | int | float]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _dot(projection: Projection) -> str:
    nodes = [f"  {_quoted(node.address)};" for node in projection.nodes]
    edges = [
        f"  {_quoted(link.sender)} -> {_quoted(link.recipient)} "
        f"[weight={link.weight(projection.by)}, label={_quoted(str(link.weight(projection.by)))}];"
        for link in projection.links
    ]
    return "\n".join(["digraph conversation {", *nodes, *edges, "}", ""])


def _label(link: Link) -> str:
    return f"{link.sender} to {link.recipient}"


def _quoted(text: str) -> str:
    """Return an identifier of DOT: in its quotes nothing means anything but a quote, and a backslash in a label."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "")
    return f'"{escaped}"'
