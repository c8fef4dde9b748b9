"""Imports that were ended in the middle, by signals to a real process or because the database was away (issue 5)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from graph.bootstrap import Graph
from graph.database import Database
from graph.errors import DatabaseUnreachable
from seed.mail import ParsedMail, ParseLimits, collecting, parse_mail
from seed.mail import importing as mail_importing
from seed.mail.importing import JOURNALS, import_mail
from tests.archives import Letter, drawn, write_mbox
from tests.support import Agents

MAILS = 400
#: In small steps that take their time, so that there is always a middle to end it in.
SLOWLY = """
import asyncio
import time
from cli.main import main
from seed.mail import collecting, importing
collecting.READ_AT_ONCE = importing.BATCH_MAILS = 10
read_some, add_mail = collecting.Collection.read_some, importing.add_mail
collecting.Collection.read_some = lambda self: time.sleep(0.05) or read_some(self)
async def slowly(*said):
    await asyncio.sleep(0.05)
    return await add_mail(*said)
importing.add_mail = slowly
main()
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    letters = [letter for letter in drawn(1, MAILS) if letter.text == Letter.text]
    return write_mbox(tmp_path / "archive.mbox", letters, f"{tmp_path.name}.example")


def journals(graph: Graph) -> list[Path]:
    folder = graph.settings.home / JOURNALS
    return list(folder.iterdir()) if folder.is_dir() else []


async def started(graph: Graph, archive: Path, into: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SLOWLY, "import", "mail", str(archive), "--into", into, "--json"),
        *("--home", str(graph.settings.home)),
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


async def ended_when(
    process: asyncio.subprocess.Process, number: signal.Signals, reached: Callable[[], Awaitable[bool]]
) -> str:
    """Send a signal to an import as soon as it has come so far, and return what it said at its end."""
    while not await reached():
        assert process.returncode is None, await process.communicate()
        await asyncio.sleep(0.01)
    process.send_signal(number)
    printed, said = await process.communicate()
    assert printed == b""
    return said.decode()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
async def test_an_import_that_was_ended_goes_on_where_it_stopped(
    graph: Graph, agents: Agents, archive: Path, number: signal.Signals
) -> None:
    """Once while it reads and once while it adds; then it comes to what an import that nobody ended comes to."""
    ended, whole = await agents("ended", "whole")
    before = set(journals(graph))

    def noted() -> int:
        return sum(path.read_bytes().count(b"\n") - 1 for path in set(journals(graph)) - before)

    async def some_noted() -> bool:
        return noted() > 0

    reading = await started(graph, archive, ended)
    said = await ended_when(reading, number, some_noted)
    assert 0 < noted() < MAILS
    assert await agents.entries(ended) == []

    process = await started(graph, archive, ended)
    said += await ended_when(process, number, partial(has_some, agents, ended))
    there = len(await agents.entries(ended))
    assert 0 < there < MAILS
    if number is signal.SIGINT:
        assert said.count("the same command goes on from there") == 2
        assert (reading.returncode, process.returncode) == (130, 130)

    process = await started(graph, archive, ended)
    printed, said_last = await process.communicate()
    assert process.returncode == 0, said_last
    report = json.loads(printed)
    read = report["read"]
    assert (report["readEarlier"], report["added"], report["alreadyPresent"]) == (read, MAILS - there, there)
    assert set(journals(graph)) == before

    await import_mail(graph, archive, whole)
    assert await places(agents, ended) == await places(agents, whole)


async def places(agents: Agents, mailbox: str) -> dict[str, tuple[str | None, int, int]]:
    """Return by subject where each mail of a mailbox stands: under which one, how deep, in a thread of how many."""
    entries = await agents.entries(mailbox)
    assert [entry.uid for entry in entries] == list(range(MAILS, 0, -1))
    assert (await agents.inbox(mailbox, first=1)).unread_count == MAILS
    subjects: dict[str | None, str] = {entry.message.id: entry.message.subject for entry in entries}
    found: dict[str, tuple[str | None, int, int]] = {}
    for thread in {entry.message.thread for entry in entries}:
        rows = await agents.thread(mailbox, thread)
        found |= {
            subjects[row.message]: (subjects.get(row.parent), row.depth, len(rows)) for row in rows if row.message
        }
    return found


async def has_some(agents: Agents, mailbox: str) -> bool:
    return bool((await agents.inbox(mailbox, first=1)).page.items)


async def test_an_import_whose_database_goes_away_is_completed_by_the_next(
    graph: Graph, agents: Agents, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_importing, "BATCH_MAILS", 100)
    (ada,) = await agents("ada")
    write, writes = Database.write, 0

    async def sometimes(database: Database, work: object) -> object:
        nonlocal writes
        writes += 1
        if writes == 4:
            raise DatabaseUnreachable("Nothing answers at bolt://127.0.0.1:7687.")
        return await write(database, work)  # type: ignore[arg-type]

    before = set(journals(graph))
    with monkeypatch.context() as patch:
        patch.setattr(Database, "write", sometimes)
        with pytest.raises(DatabaseUnreachable):
            await import_mail(graph, archive, ada)
    # The first write makes the senders.
    assert len(await agents.entries(ada)) == 200
    parsed: list[str] = []

    def parse(name: str, raw: bytes, *, limits: ParseLimits) -> ParsedMail:
        parsed.append(name)
        return parse_mail(name, raw, limits=limits)

    monkeypatch.setattr(collecting, "parse_mail", parse)
    report = await import_mail(graph, archive, ada)
    assert (report.added, report.already_present) == (MAILS - 200, 200)
    # Of what was read, only what is still to be added is read again, for its text.
    assert len(parsed) == MAILS - 200
    assert set(journals(graph)) == before
