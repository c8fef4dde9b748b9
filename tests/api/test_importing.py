"""Imported mail as the owner of the mailbox reads it: loops, gaps, duplicates, flags, subjects, and what comes later.

Issue 5 ("the mail importer grows up") and decision 0022.
"""

import random
import secrets
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from seed.mail.importing import import_mail
from seed.mail.report import ImportReport
from tests.api.client import Data, Person
from tests.api.conftest import People
from tests.archives import Letter, drawn, write_maildir, write_mbox
from tests.mailcount import Count, count

MESSAGE = "query($id: ID!) { message(id: $id) { bodyText sender { handle } inReplyTo { ... on Message { id } } } }"
THREADS = """
query($after: String) { threads(first: 100, after: $after) {
  edges { node { id messageCount } } pageInfo { hasNextPage endCursor }
} }
"""
MATRIX = """
query($since: DateTime) { communicationMatrix(since: $since) { capped truncated rows { source target weight } } }
"""


@dataclass
class Archive:
    """A mailbox and archives that are imported into it, one after the other."""

    graph: Graph
    owner: Person
    folder: Path
    domain: str = field(default_factory=lambda: f"lamp-{secrets.token_hex(3)}.example")
    number: int = 0

    async def takes(self, *letters: Letter, subject: str = "", **options: Any) -> ImportReport:
        """Import letters as a new mbox."""
        self.number += 1
        path = self.folder / f"{self.number}.mbox"
        self.folder.mkdir(exist_ok=True)
        path.write_bytes(b"".join(b"From x\n" + letter.written(self.domain, subject) + b"\n" for letter in letters))
        return await import_mail(self.graph, path, self.owner.handle, **options)

    async def ids(self) -> dict[int, str]:
        """Return the messages' ids by the numbers of their letters, which are their subjects."""
        entries = await self.owner.entries()
        return {int(entry["message"]["subject"].split()[-1]): entry["message"]["id"] for entry in entries}

    async def tree(self, member: str) -> list[tuple[int, int | None]]:
        """Return the rows of a thread as depth and number; None is a gap."""
        rows = await self.owner.thread(member)
        return [(row["depth"], None if row["hidden"] else int(row["message"]["subject"].split()[-1])) for row in rows]

    async def thread(self, member: str) -> Data:
        query = "query($id: ID!) { thread(id: $id) { id messageCount forks { id } forkedFrom { id } } }"
        thread: Data = (await self.owner.ask(query, id=member))["thread"]
        return thread


@pytest_asyncio.fixture
async def archive(graph: Graph, people: People, tmp_path: Path) -> Archive:
    (owner,) = await people("owner")
    return Archive(graph, owner, tmp_path / "mail")


def letter(id_: int, *line: int, minute: int = 0, text: str = "The lamp needs oil.", sender: str = "ada") -> Letter:
    """Return a letter that descends from others, the one it answers last."""
    return Letter(id_, line[-1] if line else None, line, minute or id_, sender, text)


async def test_a_parent_that_comes_later_fills_its_place_and_brings_its_own_root(archive: Archive) -> None:
    """The gap is filled in place: in the same thread, and nothing that was there changes its place."""
    await archive.takes(letter(3, 2), letter(4, 2), letter(5, 2, 3))
    before = await archive.ids()
    assert await archive.tree(before[3]) == [(0, None), (1, 3), (2, 5), (1, 4)]
    thread = await archive.thread(before[3])

    report = await archive.takes(letter(1), letter(2, 1))
    assert (report.added, report.threads_new, report.threads_joined, report.arrived_parents) == (2, 0, 1, 2)
    ids = await archive.ids()
    assert {number: ids[number] for number in before} == before
    expected = [(0, 1), (1, 2), (2, 3), (3, 5), (2, 4)]
    assert [await archive.tree(member) for member in ids.values()] == [expected] * 5
    assert await archive.thread(ids[1]) == {**thread, "messageCount": 5}
    for number in (3, 4):
        assert (await archive.owner.ask(MESSAGE, id=ids[number]))["message"]["inReplyTo"] == {"id": ids[2]}
    # Once more, all together: nothing is left to do.
    report = await archive.takes(letter(1), letter(2, 1), letter(3, 2), letter(4, 2), letter(5, 2, 3))
    assert (report.added, report.already_present, report.arrived_parents, report.changed.count) == (0, 5, 0, 0)
    assert await archive.tree(ids[5]) == expected


async def test_a_parent_that_belongs_to_another_thread_makes_the_waiting_one_a_fork(archive: Archive) -> None:
    """A message is in its parent's thread and never changes its own, so the gap becomes a fork seen from both sides."""
    await archive.takes(letter(1))
    await archive.takes(letter(3, 2), letter(4, 2), letter(5, 2, 3))
    ids = await archive.ids()
    old, waiting = await archive.thread(ids[1]), await archive.thread(ids[3])
    assert (old["id"] != waiting["id"], waiting["forkedFrom"]) == (True, None)

    report = await archive.takes(letter(2, 1))
    assert (report.added, report.arrived_parents, report.forked) == (1, 0, 2)
    ids = await archive.ids()
    assert await archive.tree(ids[1]) == [(0, 1), (1, 2)]
    assert await archive.tree(ids[3]) == [(0, 3), (1, 5), (0, 4)]
    assert await archive.thread(ids[2]) == {**old, "messageCount": 2, "forks": [{"id": waiting["id"]}]}
    assert await archive.thread(ids[5]) == {**waiting, "forkedFrom": {"id": ids[2]}}
    for number in (3, 4):
        assert (await archive.owner.ask(MESSAGE, id=ids[number]))["message"]["inReplyTo"] == {"id": ids[2]}
    report = await archive.takes(letter(2, 1), letter(6, 2, 3))
    assert (report.added, report.forked) == (1, 0)
    assert await archive.tree(ids[3]) == [(0, 3), (1, 5), (1, 6), (0, 4)]


async def test_one_that_sits_under_an_older_ancestor_moves_under_its_parent_in_its_thread_only(
    archive: Archive,
) -> None:
    await archive.takes(letter(1), letter(8), letter(3, 1, 2), letter(5, 1, 4))
    ids = await archive.ids()
    assert await archive.tree(ids[1]) == [(0, 1), (1, 3), (1, 5)]
    # 2 is in the thread of 3; 4 answers something else, though 5 said otherwise.
    report = await archive.takes(letter(2, 1), letter(4, 8))
    assert (report.arrived_parents, report.forked) == (1, 0)
    assert await archive.tree(ids[1]) == [(0, 1), (1, 2), (2, 3), (1, 5)]
    assert await archive.tree(ids[8]) == [(0, 8), (1, 4)]


async def test_threads_that_fork_off_each_other_make_no_circle(archive: Archive) -> None:
    await archive.takes(letter(1))
    await archive.takes(letter(3, 2))
    ids = await archive.ids()
    await archive.takes(letter(2, 1))
    # 1 is here already and is not changed by a copy of it that says it answers 3.
    report = await archive.takes(letter(1, 3))
    assert (report.added, report.already_present) == (0, 1)
    assert await archive.tree(ids[1]) == [(0, 1), (1, 2)]
    assert await archive.tree(ids[3]) == [(0, 3)]


@pytest.mark.parametrize("seed", range(4))
async def test_parts_in_any_order_leave_no_gap_for_a_mail_that_is_here(archive: Archive, seed: int) -> None:
    """Each mail names only its parent, so that parts do not tell where they belong (decision 0022)."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, not a secret
    parents = {number: chance.choice([None, *range(number), 99]) for number in range(24)}
    order = chance.sample(range(24), 24)
    threads: dict[int, str] = {}
    forked = 0
    for part in (order[:5], order[5:11], order[11:17], order[17:]):
        letters = [Letter(number, parents[number], (), number, "ada") for number in part]
        forked += (await archive.takes(*letters)).forked
        entries = await archive.owner.entries()
        now = {int(entry["message"]["subject"].split()[-1]): entry["message"] for entry in entries}
        assert {number: now[number]["thread"]["id"] for number in threads} == threads
        threads = {number: found["thread"]["id"] for number, found in now.items()}
        waiting: set[tuple[str, int]] = set()
        for number, found in now.items():
            parent = parents[number]
            said = (await archive.owner.ask(MESSAGE, id=found["id"]))["message"]["inReplyTo"]
            assert said == ({"id": now[parent]["id"]} if parent in now else None)
            if parent is not None and parent not in now:
                waiting.add((threads[number], parent))
        gaps = 0
        for thread in set(threads.values()):
            gaps += sum(row["hidden"] for row in await archive.owner.thread(thread))
            origin = (await archive.thread(thread))["forkedFrom"]
            elsewhere = {
                parent
                for number, parent in parents.items()
                if number in now and parent in now and threads[number] == thread != threads[parent]
            }
            assert {origin and origin["id"]} <= ({now[parent]["id"] for parent in elsewhere} or {None})
        assert gaps == len(waiting)
    assert forked


async def test_a_loop_is_one_thread_in_which_each_mail_stands_once(archive: Archive) -> None:
    report = await archive.takes(letter(1, 3, minute=5), letter(2, 1, minute=1), letter(3, 2, minute=9), letter(4, 4))
    assert (report.added, report.cycles.count, report.threads_new) == (4, 1, 2)
    ids = await archive.ids()
    # The oldest of them by its date is where it begins.
    for number in (1, 2, 3):
        assert await archive.tree(ids[number]) == [(0, 2), (1, 3), (2, 1)]
    assert await archive.tree(ids[4]) == [(0, 4)]
    # A loop that closes only later finds a thread that is there, and does not go round in it.
    await archive.takes(letter(11, 13), letter(12, 11))
    report = await archive.takes(letter(13, 12))
    ids = await archive.ids()
    assert await archive.tree(ids[13]) == [(0, 11), (1, 12), (2, 13)]


async def test_of_mails_with_one_id_the_first_wins_and_all_are_counted(archive: Archive) -> None:
    copy, other = letter(1), letter(1, text="Something else.")
    report = await archive.takes(copy, copy, other, letter(2, text="Two."))
    assert (report.read, report.added) == (4, 2)
    assert (report.duplicates.names, report.conflicting_duplicates.names) == (
        ["1.mbox#2 (kept: 1.mbox#1)"],
        ["1.mbox#3 (kept: 1.mbox#1)"],
    )
    report = await archive.takes(other, letter(2, text="Two."))
    assert (report.added, report.already_present, report.changed.names) == (0, 2, ["2.mbox#1"])
    ids = await archive.ids()
    assert len(await archive.owner.entries()) == 2
    assert (await archive.owner.ask(MESSAGE, id=ids[1]))["message"]["bodyText"].strip() == copy.text


async def test_what_was_seen_in_a_maildir_is_read_and_what_was_thrown_away_is_not_here(archive: Archive) -> None:
    box = write_maildir(archive.folder / "Maildir", [letter(number) for number in range(1, 5)], archive.domain)
    (box / "cur" / "9.host:2,ST").write_bytes(letter(9).written(archive.domain))
    (box / "cur" / "8.host:2,D").write_bytes(letter(8).written(archive.domain))
    write_maildir(box / ".Sent", [letter(5, 4, sender="me"), letter(6)], archive.domain)
    report = await import_mail(archive.graph, box, archive.owner.handle)
    assert (report.read, report.added, report.added_read) == (6, 6, 3)
    assert {reason.value: tally.names for reason, tally in report.left_out.items() if tally.count} == {
        "TRASHED": ["cur/9.host:2,ST"],
        "DRAFT": ["cur/8.host:2,D"],
    }
    page = await archive.owner.inbox(first=100)
    states = {edge["node"]["message"]["subject"]: edge["node"] for edge in page["edges"]}
    assert {subject for subject, entry in states.items() if not entry["unread"]} == {"Letter 1", "Letter 3", "Letter 5"}
    assert all((entry["readAt"] is None) is entry["unread"] for entry in states.values())
    assert page["unreadCount"] == 3 == len(await archive.owner.entries(filter={"unread": True}))
    ids = await archive.ids()
    assert await archive.tree(ids[5]) == [(0, 4), (1, 5)]
    # What its owner did here since stays, also where the Maildir says otherwise.
    await archive.owner.marks("markUnread", ids[1])
    assert (await import_mail(archive.graph, box, archive.owner.handle)).added == 0
    assert (await archive.owner.inbox())["unreadCount"] == 4
    report = await import_mail(archive.graph, box, archive.owner.handle, everything=True)
    assert (report.added, report.added_read, report.left_out["TRASHED"].count) == (2, 1, 0)  # type: ignore[index]


@pytest.mark.parametrize("by_subject", [False, True])
async def test_a_reply_that_names_no_mail_is_threaded_by_subject_only_where_that_is_asked_for(
    archive: Archive, by_subject: bool
) -> None:
    box = archive.folder / "tree"
    box.mkdir(parents=True)
    subjects = ["Oil 1", "Re: [lamp] oil 1", "Oil 1", "Re: Wicks 4", "Fwd: Oil 1"]
    for number, subject in enumerate(subjects):
        content = letter(number + 1, minute=number + 1).written(archive.domain, subject)
        (box / f"{number}.eml").write_bytes(content)
    (box / "6.eml").write_bytes(letter(6, 99, minute=6).written(archive.domain, "Re: Oil 1"))
    report = await import_mail(archive.graph, box, archive.owner.handle, by_subject=by_subject)
    threads = [entry["message"]["thread"]["id"] for entry in reversed(await archive.owner.entries())]
    assert report.as_dict()["repliesByLink"] == ({"SUBJECT": 1} if by_subject else {})
    assert len(set(threads)) == (5 if by_subject else 6)
    assert (threads[0] == threads[1]) is by_subject


@pytest.mark.parametrize("seed", range(3))
async def test_what_the_api_tells_of_an_archive_is_what_its_files_hold(archive: Archive, seed: int) -> None:
    """The count of ``tests/mailcount.py`` is made with the standard library, from the files."""
    archive.folder.mkdir()
    path = write_mbox(archive.folder / "all.mbox", drawn(seed, 60), archive.domain)
    await import_mail(archive.graph, path, archive.owner.handle)
    assert await counted(archive) == count(path)


async def counted(archive: Archive) -> Count:
    """Return what an archive comes to, as the owner of its mailbox is told."""
    sizes: list[int] = []
    deepest = gaps = 0
    after, more = None, True
    while more:
        page = (await archive.owner.ask(THREADS, after=after))["threads"]
        for edge in page["edges"]:
            rows = await archive.owner.thread(edge["node"]["id"])
            assert edge["node"]["messageCount"] == sum(not row["hidden"] for row in rows)
            sizes.append(edge["node"]["messageCount"])
            deepest = max([deepest, *(row["depth"] + 1 for row in rows)])
            gaps += sum(row["hidden"] for row in rows)
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    matrix = (await archive.owner.ask(MATRIX, since="2000-01-01T00:00:00Z"))["communicationMatrix"]
    assert (matrix["capped"], matrix["truncated"]) == (False, False)
    wrote = Counter({row["source"]: row["weight"] for row in matrix["rows"] if row["target"] == archive.owner.handle})
    addresses = {handle: handle.removeprefix("@").replace("_at_", "@") for handle in wrote}
    return Count(
        mails=sum(sizes),
        repeated=60 + 60 // 8 - sum(sizes),
        threads=len(sizes),
        alone=sizes.count(1),
        missing_parents=gaps,
        deepest=deepest,
        largest=max(sizes),
        top=tuple(sorted(((addresses[who], n) for who, n in wrote.items()), key=lambda item: (-item[1], item[0]))),
    )
