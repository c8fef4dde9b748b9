"""Schema changes: the numbered files of ``cypher/schema/``, applied in order, once, and recorded in the graph.

Every statement is safe to run again, because Neo4j cannot put a schema change and its record into one transaction: a
process that dies between the two leaves a change that the next start applies again without effect. Two processes that
start at once take turns at a lock node. What changes nodes goes through them in batches: such a statement begins after
the id ``$after`` and answers the ``last`` one it changed, null when there was none left.
"""

import hashlib
import logging
import re
from dataclasses import dataclass
from importlib.resources import files

from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import MigrationFailed
from graph.queries import Query, query

log = logging.getLogger(__name__)

#: How long a graph may take to be brought up to date; every message of a large one may be touched.
UPGRADE_SECONDS = 4 * 3600.0
_FILE_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.cypher")

PREPARE, LOCK = query("schema/prepare"), query("schema/lock")
RECORDED, RECORD = query("schema/recorded"), query("schema/record")
AWAIT_INDEXES = query("schema/await_indexes")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file: its statements in order, and a checksum that tells whether it was edited since."""

    version: int
    name: str
    checksum: str
    statements: tuple[Query, ...]


def migrations() -> tuple[Migration, ...]:
    """Return every schema change that this program knows, lowest number first."""
    found = []
    for file in files("cypher").joinpath("schema").iterdir():
        if match := _FILE_NAME.fullmatch(file.name):
            text = file.read_text(encoding="utf-8")
            lines = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
            statements = tuple(
                Query(name=f"schema/{file.name}#{number}", text=statement.strip())
                for number, statement in enumerate(lines.split(";"), start=1)
                if statement.strip()
            )
            checksum = hashlib.sha256(lines.encode()).hexdigest()
            found.append(Migration(int(match[1]), match[2], checksum, statements))
    return tuple(sorted(found, key=lambda migration: migration.version))


def schema_version() -> str:
    """Return the newest schema version this program knows, as its four digits."""
    return f"{migrations()[-1].version:04}"


async def migrate(database: Database, clock: Clock) -> list[int]:
    """Bring the schema up to date and return the versions applied now; an empty list when it was.

    Raises MigrationFailed when a recorded change was edited since, or the graph is newer than this program.
    """
    await _run(database, PREPARE)

    async def under_lock(tx: Transaction) -> list[int]:
        # The lock lives in this transaction; the changes themselves run beside it, each in its own.
        await tx.run(LOCK)
        recorded = {row["version"]: row for row in await database.fetch(RECORDED)}
        pending = _pending(recorded)
        for migration in pending:
            log.info("Applying schema change %04d %s.", migration.version, migration.name)
            for statement in migration.statements:
                await _run(database, statement)
            await _record(database, migration, clock)
        return [migration.version for migration in pending]

    applied = await database.write(under_lock, seconds=UPGRADE_SECONDS)
    await database.fetch(AWAIT_INDEXES)
    return applied


def _pending(recorded: dict[int, Row]) -> list[Migration]:
    known = migrations()
    newest = known[-1].version
    if ahead := [version for version in recorded if version > newest]:
        raise MigrationFailed(
            f"The graph has schema {max(ahead):04}, this program knows {newest:04}; start a program of that version."
        )
    for migration in known:
        row = recorded.get(migration.version)
        if row is not None and row["checksum"] != migration.checksum:
            raise MigrationFailed(
                f"Schema change {migration.version:04} {migration.name} was edited after it was applied; "
                "restore the file and write the change as a new one."
            )
    return [migration for migration in known if migration.version not in recorded]


async def _run(database: Database, statement: Query) -> None:
    """Run one statement; one that asks for ``$after`` again and again, each time after the ``last`` it answered."""
    batched = "$after" in statement.text
    after: str | None = ""
    while after is not None:
        parameters = {"after": after} if batched else None

        async def work(tx: Transaction, parameters: Row | None = parameters) -> Row | None:
            return await tx.one(statement, parameters)

        row = await database.write(work)
        after = row["last"] if batched and row is not None else None


async def _record(database: Database, migration: Migration, clock: Clock) -> None:
    now = clock.now()

    async def work(tx: Transaction) -> None:
        await tx.run(
            RECORD,
            {"version": migration.version, "name": migration.name, "checksum": migration.checksum, "at": now},
        )

    await database.write(work)
