"""A key of scope analyst reads everything, writes nothing, and leaves a line in the log (issue 5, decision 0017)."""

import logging
import secrets

import httpx
import pytest

from api.shown import Shown
from graph.bootstrap import Graph
from graph.keys import Scope
from tests.api.client import REMEMBER, SEND, Person
from tests.api.conftest import People

READ = """
query Look($id: ID!, $memory: ID!) {
  message(id: $id) { subject bodyText sender { handle } receipts { edges { node { address } } } replies { totalCount } }
  memory(id: $memory) { text agent { handle } }
}
"""
INBOX_OF = "query($m: Address!) { inbox(mailbox: $m) { totalCount edges { node { seenAt message { id } } } } }"
SEARCH = "query($q: String!) { search(query: $q) { totalCount edges { node { id } delivery { uid } } } }"


async def both_scopes(graph: Graph, http: httpx.AsyncClient, handle: str) -> Person:
    key = await graph.keys.issue(graph.database, graph.clock, handle, {Scope.AGENT, Scope.ANALYST})
    return Person(http, handle, key.secret.get_secret_value())


async def test_an_analyst_reads_what_is_nobody_elses(people: People, analyst: Person) -> None:
    ada, bea = await people("ada", "bea")
    word = f"word{secrets.token_hex(6)}"
    sent = await ada.sends(bea.handle, subject="Oil", bodyText=f"The {word} is low.")
    kept = (await ada.ask(REMEMBER, input={"text": "Mine alone."}))["remember"]["memory"]["id"]
    found = await analyst.ask(READ, id=sent["id"], memory=kept)
    assert found["message"]["bodyText"] == f"The {word} is low."
    assert [edge["node"]["address"] for edge in found["message"]["receipts"]["edges"]] == [bea.handle]
    assert found["memory"] == {"text": "Mine alone.", "agent": {"handle": ada.handle}}
    searched = (await analyst.ask(SEARCH, q=word))["search"]
    assert searched == {"totalCount": 1, "edges": [{"node": {"id": sent["id"]}, "delivery": None}]}
    assert (await bea.ask(READ, id=sent["id"], memory=kept))["memory"] is None


async def test_reading_leaves_no_mark(people: People, analyst: Person, shown: Shown) -> None:
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle)
    to_analyst = await ada.sends(analyst.handle)
    for mailbox in (bea.handle, analyst.handle):
        await analyst.ask(INBOX_OF, m=mailbox)
    for one in (sent, to_analyst):
        await analyst.ask("query($id: ID!) { message(id: $id) { bodyText } }", id=one["id"])
    await shown.finish()
    receipts = "query($id: ID!) { message(id: $id) { receipts { edges { node { seenAt } } } } }"
    for one in (sent, to_analyst):
        page = (await ada.ask(receipts, id=one["id"]))["message"]["receipts"]
        assert page["edges"] == [{"node": {"seenAt": None}}]


async def test_a_mailbox_that_is_not_there_is_not_found(analyst: Person) -> None:
    assert (await analyst.refused(INBOX_OF, m="@nobody-at-all"))["code"] == "NOT_FOUND"


async def test_an_analyst_sends_nothing(people: People, analyst: Person) -> None:
    (bea,) = await people("bea")
    message = {"to": [bea.handle], "subject": "News", "bodyText": ""}
    refusal = (await analyst.ask(SEND, input=message))["sendMessage"]["refusal"]
    assert refusal["code"] == "FORBIDDEN"
    assert "scope 'analyst'" in refusal["message"]
    assert await bea.entries() == []


async def test_with_both_scopes_one_acts_as_the_agent_and_sees_everything(
    graph: Graph, http: httpx.AsyncClient, people: People
) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    both = await both_scopes(graph, http, cy.handle)
    sent = await ada.sends(bea.handle)
    assert (await both.ask(INBOX_OF, m=bea.handle))["inbox"]["totalCount"] == 1
    mine = await both.sends(bea.handle, subject="From me")
    assert mine["sender"]["handle"] == cy.handle
    # Seeing everything is no right to change it.
    assert (await both.marks("markRead", sent["id"]))["results"][0]["refusal"]["code"] == "NOT_FOUND"
    grant = """mutation($m: Address!, $a: Address!) {
      grantPermission(agent: $a, permission: CAN_READ_INBOX_OF, mailbox: $m) { refusal { code } }
    }"""
    assert (await both.ask(grant, m=bea.handle, a=cy.handle))["grantPermission"]["refusal"]["code"] == "NOT_FOUND"


async def test_each_use_is_logged_and_no_key_with_it(
    people: People, analyst: Person, caplog: pytest.LogCaptureFixture
) -> None:
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle, bodyText="A secret.")
    document = """query Look($id: ID!) { ...both } # hg_written-by-mistake
      fragment both on Query { message(id: $id) { bodyText } me { handle } }"""
    with caplog.at_level(logging.INFO, logger="api.analyst"):
        await analyst.ask(document, id=sent["id"])
        await bea.ask(document, id=sent["id"])
    (line,) = [record.getMessage() for record in caplog.records if record.name == "api.analyst"]
    assert analyst.handle in line
    assert "key cred_" in line
    assert "runs Look, asking for message, me" in line
    assert "{ message(id: $id) { bodyText } me { handle } }" in line
    assert "\n" not in line
    assert "hg_written" not in line
    assert "A secret." not in line


async def test_a_long_document_is_logged_up_to_a_bound(analyst: Person, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="api.analyst"):
        await analyst.ask("{ me { handle } } #" + "x" * 5_000)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "api.analyst"]
    assert len(line) < 2_500
    assert line.endswith('…"')
