"""Measures of who matters in a conversation, by networkx over a bounded graph (decision 0020)."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from graph.rules.links import Projection

if TYPE_CHECKING:
    import networkx as nx

    Directed: TypeAlias = nx.DiGraph[str]
    Undirected: TypeAlias = nx.Graph[str]

#: Communities are found by chance; the same chance each time gives the same ones.
SEED = 1


@dataclass(frozen=True, slots=True)
class Measures:
    """What one address is in the conversation.

    Degrees count links, betweenness is the share of shortest paths through it, page ranks add up to 1, and addresses
    of one community have the same number, from 0, which is that of the largest.
    """

    address: str
    in_degree: int
    out_degree: int
    betweenness: float
    page_rank: float
    community: int


def directed(projection: Projection) -> "Directed":
    """Return the projection as a graph of networkx: nodes by address, and what is known of each as attributes."""
    # It takes a while to import, and most starts never measure anything.
    import networkx as nx

    graph: Directed = nx.DiGraph()
    for node in projection.nodes:
        graph.add_node(node.address, label=node.address, sent=node.sent, received=node.received)
    for link in projection.links:
        said: dict[str, Any] = {
            "weight": link.weight(projection.by),
            "messages": link.messages,
            "threads": len(link.threads),
            "answered": link.answered,
            "unanswered": link.unanswered,
        }
        if (seconds := link.median_response_seconds) is not None:
            said["medianResponseSeconds"] = seconds
        graph.add_edge(link.sender, link.recipient, **said)
    return graph


def measured(projection: Projection) -> list[Measures]:
    """Return the measures of every node, by address. This takes a while; call it where nobody waits."""
    import networkx as nx

    if not projection.nodes:
        return []
    graph = directed(projection)
    between: dict[str, float] = nx.betweenness_centrality(graph)
    ranks: dict[str, float] = nx.pagerank(graph, weight="weight")
    communities = _communities(projection)
    return [
        Measures(
            address=node.address,
            in_degree=int(graph.in_degree(node.address)),
            out_degree=int(graph.out_degree(node.address)),
            betweenness=float(between[node.address]),
            page_rank=float(ranks[node.address]),
            community=communities[node.address],
        )
        for node in projection.nodes
    ]


def _communities(projection: Projection) -> dict[str, int]:
    import networkx as nx

    # Who writes to whom does not matter here, only how much is written between two.
    weights: Counter[tuple[str, str]] = Counter()
    for link in projection.links:
        one, other = sorted((link.sender, link.recipient))
        weights[one, other] += link.weight(projection.by)
    graph: Undirected = nx.Graph()
    graph.add_nodes_from(node.address for node in projection.nodes)
    graph.add_weighted_edges_from((one, other, weight) for (one, other), weight in sorted(weights.items()))
    found = nx.community.louvain_communities(graph, weight="weight", seed=SEED)
    groups = sorted((sorted(group) for group in found), key=lambda group: (-len(group), group))
    return {address: number for number, group in enumerate(groups) for address in group}
