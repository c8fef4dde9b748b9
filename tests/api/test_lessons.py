"""What went wrong with other mailboxes and has no better place here (docs/lessons.md names every test)."""

import re
from typing import Any

import pytest

from graph.database import Database, Row, executed_queries
from graph.errors import DatabaseTimeout
from graph.queries import Query
from tests.api.client import Person
from tests.api.conftest import People

LOOK = "{ health { mailbox { unreadCount inbox { uid message { subject sender { handle } } } sent { subject } } } }"
LISTS = (
    "{ inbox { edges { node { uid } } } }",
    "{ sent { edges { node { id } } } }",
    '{ search(query: "tide") { edges { node { id } } } }',
    '{ mailboxChanges(since: "STATE") { created { uid } } }',
    "{ handovers { edges { node { pending } } } }",
    "{ tasks { edges { node { id } } } }",
    "{ concepts { edges { node { name } } } }",
    '{ thread(id: "THREAD") { messages { edges { node { depth } } } } }',
    '{ message(id: "MESSAGE") { subject } }',
    "{ health { mailbox { unreadCount } } }",
)


async def test_one_call_clears_all_that_is_named(people: People) -> None:
    """LESSONS 5: one call and one change of each entry, however many; a bad id among them fails alone."""
    ada, bea = await people("ada", "bea")
    ids = [(await ada.sends(bea.handle))["id"] for _ in range(51)]
    marked = await bea.marks("markRead", *ids[:25], "msg_nonsense", *ids[25:])
    refused = [result["id"] for result in marked["results"] if result["refusal"] is not None]
    assert (refused, marked["changedCount"], (await bea.inbox())["unreadCount"]) == (["msg_nonsense"], 51, 0)


async def test_a_cheap_look_tells_what_is_unread(people: People) -> None:
    """LESSONS 12: a count and three rows, without bodies, by a handful of queries however much mail there is."""
    ada, bea = await people("ada", "bea")
    for round_ in (1, 2):
        for number in range(5):
            await ada.sends(bea.handle, subject=f"{round_}.{number}")
        names: list[str] = []
        token = executed_queries.set(names)
        preview = (await bea.ask(LOOK))["health"]["mailbox"]
        executed_queries.reset(token)
        assert len(names) <= 5, names
        assert preview["unreadCount"] == 5 * round_
        assert [entry["message"]["subject"] for entry in preview["inbox"]] == [f"{round_}.{n}" for n in (4, 3, 2)]
        assert preview["sent"] == []


@pytest.mark.parametrize("asked", LISTS)
async def test_a_database_that_fails_is_an_error_and_never_an_empty_page(
    people: People, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """LESSONS 22, DESIGN §3.12: of every list. Who calls is still known, or nothing would be asked at all."""
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle)
    places = {"STATE": (await bea.inbox())["state"], "THREAD": sent["thread"]["id"], "MESSAGE": sent["id"]}
    await ada.sends(bea.handle)
    query = re.sub("STATE|THREAD|MESSAGE", lambda found: places[found[0]], asked)
    assert await bea.ask(query)
    fetch = Database.fetch

    async def late(self: Database, named: Query, parameters: dict[str, Any] | None = None) -> list[Row]:
        if named.name.startswith("keys/"):
            return await fetch(self, named, parameters)
        raise DatabaseTimeout("The query ran too long and was stopped.")

    monkeypatch.setattr(Database, "fetch", late)
    assert (await _refused(bea, query))["code"] == "DATABASE_TIMEOUT"


async def _refused(person: Person, query: str) -> dict[str, Any]:
    refused: dict[str, Any] = await person.refused(query)
    return refused
