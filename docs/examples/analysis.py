"""Who writes to whom, who stands between the others, and how long answers take. The cells are those of a notebook.

python docs/examples/analysis.py            # everybody
python docs/examples/analysis.py @ada @bea  # these, among themselves
"""

# ruff: noqa: INP001, T201 - a notebook, and no package

# %% What to look at: everybody's mail of the last 90 days, or that of some among themselves.
import sys
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import networkx as nx

from graph.model import AgentIdentity, connected

SINCE = datetime.now(UTC) - timedelta(days=90)
WHO = {word for word in sys.argv[1:] if word.startswith("@")}

# %% Read the mail: each message with its sender, those it is for, and what it answers.
letters: dict[str, tuple[str, set[str], datetime, str | None]] = {}
with connected():
    agents: Any = AgentIdentity.nodes.filter(handle__in=sorted(WHO)) if WHO else AgentIdentity.nodes
    for agent in agents.all():
        for message in agent.written.filter(createdAt__gte=SINCE).all():
            to = {one.address for one in message.addressees.all()} - {agent.handle}
            answered = message.answers.single()
            letters[message.typeid] = (agent.handle, to, message.createdAt, answered and answered.typeid)

# %% The conversation as a graph: an edge for each pair, weighted by the number of messages.
graph = nx.DiGraph()
for sender, to, _, _ in letters.values():
    for recipient in to & WHO if WHO else to:
        weight = graph.get_edge_data(sender, recipient, {"weight": 0})["weight"]
        graph.add_edge(sender, recipient, weight=weight + 1)
for sender, recipient, weight in sorted(graph.edges(data="weight")):
    print(f"{sender} wrote to {recipient}: {weight}")

# %% Who is central: who gets most of the attention, and who stands between the others.
rank, between = nx.pagerank(graph), nx.betweenness_centrality(graph)
for handle in sorted(graph, key=lambda one: (-rank[one], one)):
    print(f"{handle}: rank {rank[handle]:.3f}, between {between[handle]:.3f}")

# %% How long the first answer takes, by who gives it.
first: dict[tuple[str, str], timedelta] = {}
for sender, _, at, answered in letters.values():
    if answered in letters and letters[answered][0] != sender:
        waited = at - letters[answered][2]
        first[answered, sender] = min(waited, first.get((answered, sender), waited))
for sender in sorted({sender for _, sender in first}):
    seconds = median(waited.total_seconds() for (_, by), waited in first.items() if by == sender)
    print(f"{sender} answers within {timedelta(seconds=round(seconds))}")
