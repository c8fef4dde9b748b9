"""Automatic tagging: after the send, beside the sender's tags, and only where it is switched on (issue 4)."""

import secrets
from dataclasses import replace

import httpx
import pytest

from api.service import application
from graph.autotagging import AutoTagger
from graph.bootstrap import Graph
from graph.readers import Reader
from graph.retracting import retract
from tests.api.client import Data, Person
from tests.api.conftest import People
from tests.api.test_concepts import define

SHOWN = "query($id: ID!) { message(id: $id) { tags concepts { concept { name } source } } }"


@pytest.fixture
def word() -> str:
    """Return a name that no other test has."""
    return f"w{secrets.token_hex(4)}"


async def concepts(person: Person, message: str) -> list[tuple[str, str]]:
    found: Data = (await person.ask(SHOWN, id=message))["message"]
    return [(one["concept"]["name"], one["source"]) for one in found["concepts"]]


async def send_through_a_tagging_server(graph: Graph, sender: Person, *sent: Data) -> list[str]:
    """Send messages through a server that tags, and return their ids once that server has ended."""
    app = application(replace(graph, settings=graph.settings.model_copy(update={"auto_tagging": True})))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://tagging.test", timeout=120) as http,
    ):
        there = Person(http, sender.handle, sender.key)
        return [(await there.sends(**said))["id"] for said in sent]


async def test_what_the_text_names_is_tagged_beside_the_sender_s_own_tags(
    graph: Graph, people: People, operator: Person, word: str
) -> None:
    ada, bea = await people("ada", "bea")
    await define(operator, word, aliases=[f"{word}db"])
    await define(operator, f"{word} table")
    await bea.sends(bea.handle, tags=[f"{word}-unregistered"])
    ids = await send_through_a_tagging_server(
        graph,
        ada,
        {"to": [bea.handle], "subject": f"The {word.upper()}DB", "bodyText": f"{word}-unregistered", "tags": ["log"]},
        {"to": [bea.handle], "subject": "Tables", "bodyText": f"One\n{word}\ntable, no {word}s.", "tags": [word]},
        {"to": [bea.handle], "subject": "None", "bodyText": f"{word}s and x{word}"},
    )
    assert await concepts(bea, ids[0]) == [("log", "SENDER"), (word, "AUTO")]
    # What the sender tagged it with is not said again.
    assert await concepts(bea, ids[1]) == [(word, "SENDER"), (f"{word} table", "AUTO")]
    assert await concepts(bea, ids[2]) == []
    # Tags stay what they were: nobody's inbox and no sender's history is filed anew.
    assert (await bea.ask(SHOWN, id=ids[0]))["message"]["tags"] == ["log"]
    assert [entry["message"]["id"] for entry in await bea.entries(filter={"tags": [word]})] == [ids[1]]
    sent = await ada.ask("query($f: SentFilter) { sent(filter: $f) { edges { node { id } } } }", f={"tags": [word]})
    assert [edge["node"]["id"] for edge in sent["sent"]["edges"]] == [ids[1]]


async def test_it_is_off_unless_it_is_asked_for(graph: Graph, people: People, operator: Person, word: str) -> None:
    ada, bea = await people("ada", "bea")
    await define(operator, word)
    message = await ada.sends(bea.handle, subject=word)
    assert not graph.settings.auto_tagging
    assert await concepts(bea, message["id"]) == []


async def test_a_retracted_message_is_not_tagged_and_shows_nothing_that_was_found(
    graph: Graph, people: People, operator: Person, word: str
) -> None:
    """DESIGN §3.5: retracting takes the text away everywhere, and with it what the text named."""
    ada, bea = await people("ada", "bea")
    await define(operator, word)
    before, after = [(await ada.sends(bea.handle, subject=f"About {word}", tags=["log"]))["id"] for _ in range(2)]
    tagger = AutoTagger(graph.database, graph.limits)
    await tagger.tag([after])
    assert await concepts(bea, after) == [("log", "SENDER"), (word, "AUTO")]

    for id_ in (before, after):
        await retract(graph.database, graph.clock, Reader.alone(ada.handle), id_)
    await tagger.tag([before])
    assert await concepts(bea, before) == [("log", "SENDER")]
    assert await concepts(bea, after) == [("log", "SENDER")]


async def test_tagging_again_adds_nothing_and_knows_a_changed_ontology(
    graph: Graph, people: People, operator: Person, word: str
) -> None:
    ada, bea = await people("ada", "bea")
    message = (await ada.sends(bea.handle, subject=f"About {word} and x{word}"))["id"]
    tagger = AutoTagger(graph.database, graph.limits)
    await tagger.tag([message])
    assert await concepts(bea, message) == []
    await define(operator, word)
    await tagger.tag([message, "msg_unknown"])
    await tagger.tag([message])
    await define(operator, f"x{word}")
    await tagger.tag([message])
    assert await concepts(bea, message) == [(word, "AUTO"), (f"x{word}", "AUTO")]
