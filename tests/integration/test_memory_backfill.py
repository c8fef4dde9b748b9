"""Memories from before schema 10 are found by their owners, and by them alone (issue 5, decision 0018)."""

import secrets

from graph import migrations
from graph.bootstrap import Graph
from graph.database import Transaction
from graph.migrations import _run
from graph.node_search import search_nodes
from graph.queries import Query
from graph.readers import Reader
from graph.rules.walking import NodeLabel
from tests.support import Agents

STRIP = Query("test/strip", "MATCH (m:Memory {id: $id}) REMOVE m.owner")


async def test_memories_from_before_get_their_owner(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    word = f"word{secrets.token_hex(6)}"
    kept = await agents.remember(ada, text=f"The {word} is low.")

    async def found(reader: Reader) -> list[str]:
        return await search_nodes(graph.database, reader, [word], [NodeLabel.MEMORY], 10)

    async def strip(tx: Transaction) -> None:
        await tx.run(STRIP, {"id": kept})

    await graph.database.write(strip)
    assert await found(Reader.alone(ada)) == []
    (change,) = [migration for migration in migrations.migrations() if migration.name == "walking"]
    for _ in range(2):
        for statement in change.statements:
            await _run(graph.database, statement)
        assert await found(Reader.alone(ada)) == [kept]
    assert await found(Reader.alone(bea)) == []
    assert await found(Reader(bea, (bea,), everything=True)) == [kept]
