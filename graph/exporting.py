"""The conversation as files that other programs open. None of them holds anybody's text."""

import csv
import io
import json
from enum import StrEnum

from graph.measuring import directed
from graph.rules.links import Link, Projection


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


def _node_link(projection: Projection) -> str:
    import networkx as nx

    return json.dumps(nx.node_link_data(directed(projection), edges="edges"), ensure_ascii=False, indent=1)


def _graphml(projection: Projection) -> str:
    import networkx as nx

    return "\n".join(nx.generate_graphml(directed(projection))) + "\n"


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
