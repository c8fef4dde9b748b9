from typing import Any

import httpx
import pytest
import pytest_asyncio

from api.service import application
from graph.bootstrap import Graph
from seed.demo import DemoFailed, DemoSummary, load
from tests.api.client import HANDOVERS, THREAD, Person
from tests.support import Agents

ADA, GEMINI, COMMANDER = "@neo-opus-ada", "@neo-gemini-pro", "@tobiu"
URL = "http://heliograph.test"
FIRST, SECOND = "b5a17132", "48197e2e-3e95-47eb-9eb8-bbb032948845"
SESSIONS = """
query Sessions($id: ID!) {
  message(id: $id) { originSession { externalId } relatedSessions { externalId } tickets { key } memories { text } }
}
"""


class Counts:
    """Progress that adds up."""

    def __init__(self) -> None:
        self.total = self.advanced = self.ended = 0

    def start(self, total: int, _description: str) -> None:
        self.total += total

    def advance(self, amount: int = 1) -> None:
        self.advanced += amount

    def done(self) -> None:
        self.ended += 1


@pytest.fixture(scope="module")
def transport(graph: Graph, http: httpx.AsyncClient) -> httpx.AsyncBaseTransport:
    return httpx.ASGITransport(app=application(graph))


@pytest.fixture(scope="module")
def counts() -> Counts:
    return Counts()


@pytest_asyncio.fixture(scope="module")
async def demo(
    graph: Graph, agents: Agents, operator: Person, transport: httpx.AsyncBaseTransport, counts: Counts
) -> DemoSummary:
    """Load the demo. Its handles are its own, so this is the one place that does."""
    return await load(URL, operator.key or "", progress=counts, transport=transport)


@pytest.fixture
def ada(http: httpx.AsyncClient, demo: DemoSummary) -> Person:
    return Person(http, ADA, demo.keys[ADA])


@pytest.fixture
def gemini(http: httpx.AsyncClient, demo: DemoSummary) -> Person:
    return Person(http, GEMINI, demo.keys[GEMINI])


def one(found: list[dict[str, Any]], subject: str) -> dict[str, Any]:
    (message,) = [node["message"] for node in found if node["message"]["subject"] == subject]
    return dict(message)


async def test_it_says_what_it_wrote_and_shows_the_keys_once(demo: DemoSummary, counts: Counts) -> None:
    assert not demo.already_there
    assert demo.as_dict() == {"identities": 3, "sessions": 2, "messages": 14, "memories": 1, "handovers": 1}
    assert sorted(demo.keys) == [GEMINI, ADA, COMMANDER]
    assert all(key.startswith("hg_") and key not in repr(demo) for key in demo.keys.values())
    assert (counts.total, counts.advanced, counts.ended) == (18, 18, 1)


async def test_a_second_load_adds_nothing(
    demo: DemoSummary, operator: Person, transport: httpx.AsyncBaseTransport, gemini: Person
) -> None:
    before = await gemini.inbox(first=100)
    again = await load(URL, operator.key or "", transport=transport)
    assert again.already_there
    assert set(again.as_dict().values()) == {0}
    assert again.keys == {}
    assert await gemini.inbox(first=100) == before


async def test_the_second_session_took_over_what_the_first_one_left(ada: Person) -> None:
    (edge,) = (await ada.ask(HANDOVERS, filter={"pending": None}))["handovers"]["edges"]
    handover = edge["node"]
    assert not handover["pending"]
    assert handover["session"]["externalId"] == FIRST
    assert handover["acceptedBy"]["externalId"] == SECOND
    assert handover["message"]["tags"] == ["sunset-protocol-handover", "mailbox"]
    assert handover["message"]["subject"] == f"Sunset Protocol Handover — session {FIRST}"
    refers = (await ada.ask(SESSIONS, id=handover["message"]["id"]))["message"]
    assert [ticket["key"] for ticket in refers["tickets"]] == ["neo#10341", "neo#10347", "neo#9999"]
    assert len(refers["memories"]) == 1


async def test_the_missing_memory_is_told_of_in_a_mail_from_the_second_session(
    http: httpx.AsyncClient, demo: DemoSummary
) -> None:
    commander = Person(http, COMMANDER, demo.keys[COMMANDER])
    told = one(await commander.entries(), "The memory I was to start from is not there")
    refers = (await commander.ask(SESSIONS, id=told["id"]))["message"]
    assert refers["originSession"]["externalId"] == SECOND
    assert [session["externalId"] for session in refers["relatedSessions"]] == [FIRST]
    thread = (await commander.ask(THREAD, id=told["id"]))["thread"]
    assert thread["messageCount"] == 2
    assert len(thread["forks"]) == 1


async def test_there_are_threads_a_broadcast_and_something_unread(ada: Person, gemini: Person) -> None:
    question = one(await gemini.entries(), "How many of your SENT_TO edges survive a resume?")
    rows = await ada.thread(question["id"])
    assert [row["depth"] for row in rows] == [0, 1, 1, 2]
    via = {node["message"]["subject"]: node["via"] for node in await gemini.entries()}
    assert via["PR #10348 is open: tool descriptions get a budget"] == "BROADCAST"
    assert 0 < (await ada.inbox())["unreadCount"] < len(await ada.entries())


async def test_every_query_to_look_with_answers(http: httpx.AsyncClient, demo: DemoSummary) -> None:
    assert len(demo.looks) == 2
    for look in demo.looks:
        assert len(str(await Person(http, look.handle, demo.keys[look.handle]).ask(look.query))) > 500


async def test_a_key_that_is_no_operators_is_refused(demo: DemoSummary, transport: httpx.AsyncBaseTransport) -> None:
    with pytest.raises(DemoFailed, match="could not do a step"):
        await load(URL, "hg_nobody", transport=transport)


async def test_what_is_not_heliograph_is_named() -> None:
    def answers(content: bytes) -> httpx.MockTransport:
        return httpx.MockTransport(lambda _: httpx.Response(200, content=content))

    with pytest.raises(DemoFailed, match="No Heliograph answers at"):
        await load(URL, "hg_x", transport=answers(b"<html>"))
    with pytest.raises(DemoFailed, match="not as Heliograph does"):
        await load(URL, "hg_x", transport=answers(b"[]"))


async def test_handles_that_belong_to_others_are_named() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"data": {"nodes": [None, None, {"id": COMMANDER}]}})

    with pytest.raises(DemoFailed, match="@tobiu is taken"):
        await load(URL, "hg_x", transport=httpx.MockTransport(answer))
