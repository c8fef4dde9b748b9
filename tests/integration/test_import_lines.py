"""Importing messages of another system, read back as those who sent and got them (DESIGN §4; LESSONS 19)."""

import asyncio
import json
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.errors import Refused
from graph.foreign import FOREIGN, WAITING
from graph.identities import identity_cards
from graph.mailbox import InboxFilter
from graph.messages import bodies, message_cards, recipients
from graph.queries import Query
from graph.readers import Reader
from graph.sent import SentFilter, sent
from graph.threads import forks
from seed.jsonl import importing
from seed.jsonl.importing import LinesInput, import_lines
from seed.jsonl.report import LinesReport
from tests.support import Agents, profiled

START = datetime(2019, 5, 6, 7, 8, 9, tzinfo=UTC)


@dataclass
class Lines:
    """Made-up lines in a file, of a system that no other test has, about three people who are here."""

    graph: Graph
    file: Path
    ada: str
    bea: str
    cy: str
    source: str = field(default_factory=lambda: f"s{secrets.token_hex(4)}")
    lines: list[str] = field(default_factory=list)

    def say(self, id_: str | int | None = None, **said: Any) -> None:
        """Add a message from ada to bea, but for what is said otherwise."""
        when = (START + timedelta(minutes=len(self.lines))).isoformat()
        message = {"id": id_, "from": self.ada, "to": [self.bea], "subject": "Oil", "bodyText": "", "createdAt": when}
        self.raw(json.dumps({name: value for name, value in (message | said).items() if value is not None}))

    def raw(self, line: str) -> None:
        self.lines.append(line)

    def write(self) -> None:
        self.file.write_text("\n".join(self.lines), encoding="utf-8")

    async def run(self, **said: Any) -> LinesReport:
        self.write()
        return await self.run_again(**said)

    async def run_again(self, **said: Any) -> LinesReport:
        """Import the file as it is: to write it would cut it short for another import that reads it now."""
        return await import_lines(self.graph, LinesInput(str(self.file), self.source, **said))

    async def ids(self) -> dict[str, str]:
        """Return the ids of the messages by their names in the file."""
        names = [f"{self.source}:{name}" for name in ("a", "b", "c", "d", *range(2000))]
        rows = await self.graph.database.fetch(FOREIGN, {"ids": names})
        return {row["mailId"].partition(":")[2]: row["id"] for row in rows}


@pytest_asyncio.fixture
async def lines(graph: Graph, agents: Agents, tmp_path: Path) -> Lines:
    """Return an empty file and three people."""
    ada, bea, cy = await agents("ada", "bea", "cy")
    return Lines(graph, tmp_path / "old.jsonl", ada, bea, cy)


async def test_a_message_arrives_with_all_it_had(graph: Graph, agents: Agents, lines: Lines) -> None:
    lines.say(
        "a",
        to=[lines.bea.upper(), lines.ada],
        cc=[lines.cy],
        bodyText="There is some in the cellar.",
        tags=["#Tide"],
        priority="high",
        expectsReply=True,
        read=[lines.cy],
        createdAt="2019-05-06T09:08:09+02:00",
        colour="blue",
    )
    report = await lines.run()
    assert (report.read, report.added, report.entries, report.threads_new, report.problems) == (1, 1, 3, 1, 0)
    assert report.ignored_fields == {"colour": 1}
    (id_,) = (await lines.ids()).values()
    for reader, unread in ((lines.ada, True), (lines.bea, True), (lines.cy, False)):
        page = await agents.inbox(reader)
        (entry,) = page.page.items
        assert (entry.message.id, entry.unread, entry.tags, entry.via) == (id_, unread, ("tide",), "DIRECT")
        assert page.unread_count == unread == len((await agents.inbox(reader, InboxFilter(unread=True))).page.items)
        tagged = await agents.inbox(reader, InboxFilter(tags=("tide",), unread=True))
        assert len(tagged.page.items) == unread
        assert (entry.read_at is None) is unread
        assert entry.delivered_at > START
    card = (await message_cards(graph.database, Reader.alone(lines.ada), [id_]))[id_]
    assert (card.subject, card.priority, card.expects_reply, card.tags) == ("Oil", "HIGH", True, ("tide",))
    assert (card.sender, card.provenance, card.created_at) == (lines.ada, "IMPORTED", START)
    assert await bodies(graph.database, [id_]) == {id_: "There is some in the cellar."}
    assert [found.address for found in (await recipients(graph.database, [id_]))[id_]] == [
        *sorted((lines.ada, lines.bea)),
        lines.cy,
    ]
    page_sent = await sent(graph.database, lines.ada, SentFilter(until=START), 10, None)
    assert [found.id for found in page_sent.items] == [id_]


async def test_importing_again_adds_nothing_and_says_how_many_were_there(agents: Agents, lines: Lines) -> None:
    for number in range(3):
        lines.say(number, read=[lines.bea] if number else None)
    lines.say(None, subject="Without an id")
    lines.say(0, createdAt=START.isoformat())
    first, again = await lines.run(), await lines.run()
    assert (first.added, first.already_present, first.repeated) == (4, 0, 1)
    assert (again.added, again.already_present, again.repeated, again.entries) == (0, 4, 1, 0)
    assert len(await agents.entries(lines.bea)) == 4
    assert (await agents.inbox(lines.bea)).unread_count == 2


async def test_two_imports_at_once_add_each_message_once(agents: Agents, lines: Lines) -> None:
    for number in range(60):
        lines.say(number, inReplyTo=number - 1 if number % 3 else None)
    lines.write()
    reports = await asyncio.gather(lines.run_again(), lines.run_again())
    assert [report.read for report in reports] == [60, 60]
    assert sum(report.added for report in reports) == sum(report.already_present for report in reports) == 60
    entries = await agents.entries(lines.bea)
    assert sorted(entry.uid for entry in entries) == list(range(1, 61))


async def test_answers_are_threaded_in_whatever_order_they_come(
    agents: Agents, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a batch, across batches and across imports; what is not here is a gap until it comes."""
    monkeypatch.setattr(importing, "BATCH_LINES", 2)
    lines.say("d", inReplyTo="c")
    lines.say("b", inReplyTo="a")
    lines.say("c", inReplyTo="b", to=[lines.bea, lines.cy])
    report = await lines.run()
    assert (report.added, report.missing_parents) == (3, 2)
    ids = await lines.ids()
    thread = next(entry.message.thread for entry in await agents.entries(lines.bea) if entry.message.id == ids["b"])
    assert [(place.depth, place.message) for place in await agents.thread(lines.bea, thread)][:2] == [
        (0, None),
        (1, ids["b"]),
    ]
    lines.say("a")
    report = await lines.run()
    assert (report.added, report.already_present) == (1, 3)
    ids = await lines.ids()
    places = await agents.thread(lines.bea, thread)
    assert [(place.depth, place.message) for place in places][:3] == [(0, ids["a"]), (1, ids["b"]), (2, ids["c"])]
    assert [(place.depth, place.message) for place in await agents.thread(lines.cy, thread)] == [
        (0, None),
        (1, None),
        (2, ids["c"]),
    ]


async def test_an_answer_whose_parent_comes_into_another_thread_forks_off_it(
    graph: Graph, agents: Agents, lines: Lines
) -> None:
    """Decision 0022: no thread changes for a message that is here."""
    lines.say("a")
    lines.say("c", inReplyTo="b")
    await lines.run()
    lines.say("b", inReplyTo="a")
    assert (await lines.run()).added == 1
    ids = await lines.ids()
    threads = {entry.message.id: entry.message.thread for entry in await agents.entries(lines.bea)}
    old, fork = threads[ids["a"]], threads[ids["c"]]
    assert [(place.depth, place.message) for place in await agents.thread(lines.bea, old)] == [
        (0, ids["a"]),
        (1, ids["b"]),
    ]
    assert [(place.depth, place.message) for place in await agents.thread(lines.bea, fork)] == [(0, ids["c"])]
    found = await forks(graph.database, Reader.alone(lines.bea), [old, fork])
    assert (found[old].threads, found[fork].origin) == ((fork,), ids["b"])


async def test_lines_that_name_a_thread_are_one_thread(agents: Agents, lines: Lines) -> None:
    lines.say("a", thread="lamp")
    lines.say("b", thread=7)
    lines.say("c", thread="lamp")
    lines.say("d", inReplyTo="c", thread="another")
    await lines.run()
    lines.say(1, thread="lamp")
    assert (await lines.run()).added == 1
    ids = await lines.ids()
    threads = {entry.message.id: entry.message.thread for entry in await agents.entries(lines.bea)}
    named = {name: threads[id_] for name, id_ in ids.items()}
    assert named["a"] == named["c"] == named["d"] == named["1"] != named["b"]


async def test_bad_lines_are_named_and_the_others_are_imported(agents: Agents, lines: Lines) -> None:
    lines.say("a")
    lines.raw("")
    lines.raw("{")
    lines.say("b", createdAt="2019-05-06T07:08:09")
    lines.say("c", to=["role:keeper"])
    lines.say("d", to=[f"{lines.bea}-x"])
    lines.say("a", subject="Other")
    lines.say(1)
    report = await lines.run()
    assert (report.read, report.added, report.problems) == (7, 2, 5)
    assert [(problem.line, problem.field) for problem in sorted(report.first_problems)] == [
        (3, None),
        (4, "createdAt"),
        (5, "to"),
        (6, "to"),
        (7, "id"),
    ]
    by_line = {problem.line: problem.message for problem in report.first_problems}
    assert "has no time zone" in by_line[4]
    assert "'role:keeper'" in by_line[5]
    assert f"'{lines.bea}-x' is nobody here" in by_line[6]
    assert len(await agents.entries(lines.bea)) == 2
    lines.lines[0] = lines.lines[0].replace("Oil", "Whale oil")
    report = await lines.run()
    assert (report.added, report.already_present, report.problems) == (0, 1, 6)
    assert [entry.message.subject for entry in await agents.entries(lines.bea)] == ["Oil", "Oil"]


async def test_strict_stops_at_the_first_bad_line(agents: Agents, lines: Lines) -> None:
    lines.say("a")
    lines.say("b", to=[])
    with pytest.raises(Refused, match="Line 2: to is empty"):
        await lines.run(strict=True)
    lines.lines.pop()
    lines.say("b", to=[f"{lines.bea}-x"])
    with pytest.raises(Refused, match=r"Line 2: to .* is nobody here"):
        await lines.run(strict=True)
    lines.lines.pop()
    assert (await lines.run(strict=True)).added == 1


async def test_people_who_are_missing_are_made_as_imported_where_that_is_said(
    graph: Graph, agents: Agents, lines: Lines
) -> None:
    new = f"{lines.ada}-old"
    lines.say("a", **{"from": new}, to=[lines.bea, f"{new}er"])
    report = await lines.run(create_identities=True)
    assert (report.added, report.identities_created) == (1, 2)
    cards = await identity_cards(graph.database, [new, lines.ada])
    assert (cards[new].imported, cards[new].kind, cards[lines.ada].imported) == (True, "HUMAN", False)
    assert [entry.message.sender for entry in await agents.entries(f"{new}er")] == [new]
    assert (await lines.run(create_identities=True)).identities_created == 0


async def test_what_was_imported_can_be_answered_and_counts_are_exact(
    graph: Graph, agents: Agents, lines: Lines
) -> None:
    for number in range(5):
        lines.say(number, to=[lines.bea, lines.cy], tags=["tide"], read=[lines.cy] if number % 2 else [])
    await lines.run()
    ids = await lines.ids()
    answer = await agents.reply(lines.bea, ids["3"])
    assert [entry.message.id for entry in await agents.entries(lines.ada)] == [answer]
    rows = await graph.database.fetch(
        Query(
            "test",
            "MATCH (b:Mailbox) WHERE b.address IN $handles WITH b, COLLECT { MATCH (b)<-[d:DELIVERED_TO]-()"
            " RETURN d ORDER BY d.uid } AS entries RETURN b.modseq >= reduce(m = 0, d IN entries |"
            " CASE WHEN d.modseq > m THEN d.modseq ELSE m END) AS ahead, size(entries) = b.uidNext - 1 AS whole,"
            " b.unreadCount = size([d IN entries WHERE d.unread]) AS exact,"
            " size(reduce(s = [], d IN entries | CASE WHEN d.modseq IN s THEN s ELSE s + d.modseq END))"
            " = size(entries) AS distinct",
        ),
        {"handles": [lines.ada, lines.bea, lines.cy]},
    )
    assert rows == [{"ahead": True, "whole": True, "exact": True, "distinct": True}] * 3


async def test_what_is_here_is_found_by_index(graph: Graph, lines: Lines) -> None:
    lines.say("a")
    lines.say("b", inReplyTo="c")
    await lines.run()
    for query, index in ((FOREIGN, "Message(mailId)"), (WAITING, "Message(missingParent)")):
        profile = await profiled(graph.database, query, {"ids": [f"{lines.source}:{name}" for name in "abc"]})
        assert index in "\n".join(step.details for step in profile.steps), str(profile)
        assert len(profile.rows) == (2 if query is FOREIGN else 1)
        assert profile.hits <= 60, str(profile)
