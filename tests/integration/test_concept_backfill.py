"""Edges from before schema 7 get what its indexes sort by, in batches, and once (issue 4, "Sent … by index")."""

from graph import migrations
from graph.bootstrap import Graph
from graph.database import Transaction
from graph.migrations import _run
from graph.queries import Query
from graph.sent import SentFilter, sent
from tests.support import Agents

STRIP = Query(
    "test/strip",
    """
    MATCH (n)-[t:SENT_TO|TAGGED_CONCEPT]->() WHERE n.id IN $ids
    REMOVE t.sender, t.address, t.agent, t.concept, t.createdAt, t.messageId
    """,
)
EDGES = Query(
    "test/edges",
    """
    MATCH (n)-[t:SENT_TO|TAGGED_CONCEPT]->(x) WHERE n.id IN $ids
    RETURN n.id AS id, type(t) AS type, coalesce(x.address, x.name) AS to, properties(t) AS properties
    ORDER BY id, type, to
    """,
)


async def test_edges_from_before_are_completed(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    ids = [
        await agents.send(ada, bea, cc=(cy,), tags=("tide", "log")),
        await agents.send(ada, "@all", tags=("tide",)),
        await agents.remember(ada, tags=("log",)),
    ]
    before = await graph.database.fetch(EDGES, {"ids": ids})
    assert len(before) == 7

    async def strip(tx: Transaction) -> None:
        await tx.run(STRIP, {"ids": ids})

    await graph.database.write(strip)
    assert (await sent(graph.database, ada, SentFilter(to=bea), 10, None)).items == ()
    (change,) = [migration for migration in migrations.migrations() if migration.name == "concepts"]
    for _ in range(2):
        for statement in change.statements:
            await _run(graph.database, statement)
        assert await graph.database.fetch(EDGES, {"ids": ids}) == before
    found = await sent(graph.database, ada, SentFilter(to=bea, tags=("log",)), 10, None)
    assert [card.id for card in found.items] == ids[:1]
