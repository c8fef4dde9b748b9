"""Schema changes are applied once, in order, by one process at a time, and never after they were edited."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from graph import migrations
from graph.bootstrap import Graph
from graph.database import Database, Row, Transaction
from graph.errors import MigrationFailed
from graph.migrations import migrate, schema_version
from graph.queries import Query

RECORDS = Query(
    "test/records",
    "MATCH (s:SchemaMigration) RETURN s.version AS version, s.name AS name, s.checksum AS checksum, "
    "s.appliedAt AS appliedAt ORDER BY version",
)
FORGET = Query("test/forget", "MATCH (s:SchemaMigration) DELETE s")
RESTORE = Query("test/restore", "UNWIND $rows AS row CREATE (s:SchemaMigration) SET s = row")
EDIT = Query("test/edit", "MATCH (s:SchemaMigration {version: 1}) SET s.checksum = $checksum")
AHEAD = Query("test/ahead", "CREATE (:SchemaMigration {version: 9999, name: 'tomorrow', checksum: 'x'})")
SCHEMA = Query(
    "test/schema",
    "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, owningConstraint RETURN * ORDER BY name",
)
COUNT = Query("test/count", "MATCH (n) RETURN count(n) AS nodes, count { (:Broadcast) } AS broadcasts")
DROP = Query("test/drop", "DROP INDEX message_mail_id")

Write = Callable[..., Awaitable[None]]


@pytest_asyncio.fixture
async def write(graph: Graph) -> AsyncIterator[Write]:
    """Return a way to change the records, which are as they were after the test."""
    before = await graph.database.fetch(RECORDS)

    async def run(query: Query, **parameters: object) -> None:
        async def work(tx: Transaction) -> None:
            await tx.run(query, parameters)

        await graph.database.write(work)

    yield run
    await run(FORGET)
    await run(RESTORE, rows=before)


async def state(database: Database) -> tuple[list[Row], list[Row], list[Row]]:
    return await database.fetch(RECORDS), await database.fetch(SCHEMA), await database.fetch(COUNT)


def second_connection(graph: Graph) -> Database:
    to = graph.connection
    return Database.connect(to.uri, to.username, to.password.get_secret_value(), to.database)


async def test_the_graph_is_at_the_newest_version(graph: Graph) -> None:
    records = await graph.database.fetch(RECORDS)
    assert [record["version"] for record in records] == list(range(1, int(schema_version()) + 1))


async def test_every_index_is_online(graph: Graph) -> None:
    rows = await graph.database.fetch(Query("test/online", "SHOW INDEXES YIELD name, state RETURN name, state"))
    assert {row["state"] for row in rows} == {"ONLINE"}


async def test_applying_again_changes_nothing(graph: Graph) -> None:
    before = await state(graph.database)
    assert await migrate(graph.database, graph.clock) == []
    assert await state(graph.database) == before


async def test_a_change_whose_record_was_lost_is_applied_again_without_effect(graph: Graph, write: Write) -> None:
    """A process that dies between a change and its record leaves exactly this."""
    records, schema, counts = await state(graph.database)
    await write(FORGET)
    assert await migrate(graph.database, graph.clock) == [record["version"] for record in records]
    again, *rest = await state(graph.database)
    assert [(row["version"], row["checksum"]) for row in again] == [
        (row["version"], row["checksum"]) for row in records
    ]
    assert rest == [schema, counts]


async def test_a_change_that_was_half_applied_is_completed(graph: Graph, write: Write) -> None:
    _, schema, _ = await state(graph.database)
    await write(DROP)
    await write(FORGET)
    await migrate(graph.database, graph.clock)
    assert (await state(graph.database))[1] == schema


async def test_two_processes_that_start_at_once_take_turns(graph: Graph, write: Write) -> None:
    records, *rest = await state(graph.database)
    versions = [record["version"] for record in records]
    for _ in range(3):
        await write(FORGET)
        async with second_connection(graph) as first, second_connection(graph) as second:
            applied = await asyncio.gather(*(migrate(database, graph.clock) for database in (first, second, first)))
        assert sorted(applied) == [[], [], versions]
        again, *after = await state(graph.database)
        assert [record["version"] for record in again] == versions
        assert after == rest


async def test_an_edited_change_is_refused(graph: Graph, write: Write) -> None:
    await write(EDIT, checksum=hashlib.sha256(b"edited").hexdigest())
    with pytest.raises(MigrationFailed, match=r"0001 mailbox was edited after it was applied"):
        await migrate(graph.database, graph.clock)


async def test_a_graph_of_a_newer_program_is_refused(graph: Graph, write: Write) -> None:
    await write(AHEAD)
    with pytest.raises(MigrationFailed, match=f"schema 9999, this program knows {schema_version()}"):
        await migrate(graph.database, graph.clock)


def test_the_files_are_numbered_from_one_without_a_gap() -> None:
    found = migrations.migrations()
    assert [migration.version for migration in found] == list(range(1, len(found) + 1))
    assert all(migration.statements for migration in found)
