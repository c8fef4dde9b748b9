"""Retracting through the API (issue: lifecycle; DESIGN §3.5; LESSONS 18; ORIGIN 1.7)."""

import secrets

from graph.bootstrap import Graph
from graph.queries import Query
from tests.api.client import HANDOVERS, RETRACT, WRITE_HANDOVER, Data, Person
from tests.api.conftest import People

#: Whatever holds a text in any property, node or relationship.
HOLDING = Query(
    "test/holding",
    """
    CALL () {
      MATCH (n) WHERE any(key IN keys(n) WHERE
        CASE WHEN valueType(n[key]) STARTS WITH 'LIST' THEN any(x IN n[key] WHERE toStringOrNull(x) CONTAINS $text)
        ELSE toStringOrNull(n[key]) CONTAINS $text END)
      RETURN head(labels(n)) AS kind, n.id AS id
      UNION ALL
      MATCH ()-[r]->() WHERE any(key IN keys(r) WHERE
        CASE WHEN valueType(r[key]) STARTS WITH 'LIST' THEN any(x IN r[key] WHERE toStringOrNull(x) CONTAINS $text)
        ELSE toStringOrNull(r[key]) CONTAINS $text END)
      RETURN type(r) AS kind, null AS id
    }
    RETURN kind, id
    """,
)


async def retract(person: Person, id_: str) -> Data:
    payload: Data = (await person.ask(RETRACT, id=id_))["retractMessage"]
    return payload


async def test_nothing_of_a_retracted_text_is_left(people: People, graph: Graph) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    marker = f"Zebrafish{secrets.token_hex(6)}"
    sent = await ada.sends(
        bea.handle, cc=[cy.handle], subject=f"On {marker}", bodyText=f"The {marker} is ill.", tags=["tide"],
        idempotencyKey="once",
    )  # fmt: skip
    reply = await bea.sends(inReplyTo=sent["id"], subject="Re", bodyText="Poor fish.")
    assert {row["kind"] for row in await graph.database.fetch(HOLDING, {"text": marker})} == {"Message", "Thread"}

    payload = await retract(ada, sent["id"])
    assert payload == {
        "message": {"id": sent["id"], "subject": "", "bodyText": "", "retracted": True},
        "refusal": None,
    }
    assert await graph.database.fetch(HOLDING, {"text": marker}) == []
    # Node and edges stay: its entries, its tags, its place in the thread, the reply to it.
    for reader in (bea, cy):
        (entry,) = await reader.entries(filter={"tags": ["tide"]})
        assert entry["message"]["id"] == sent["id"]
        assert entry["message"]["subject"] == ""
    rows = await bea.thread(sent["id"])
    assert [row["message"]["id"] for row in rows] == [sent["id"], reply["id"]]
    assert [row["depth"] for row in rows] == [0, 1]
    answer = await cy.sends(ada.handle, inReplyTo=sent["id"])
    assert answer["thread"] == sent["thread"]

    # Again is the same answer and no change; the key still answers with the message.
    states = [(await reader.inbox())["state"] for reader in (bea, cy)]
    assert await retract(ada, sent["id"]) == payload
    assert [(await reader.inbox())["state"] for reader in (bea, cy)] == states
    again = await ada.tries(
        bea.handle, cc=[cy.handle], subject=f"On {marker}", bodyText=f"The {marker} is ill.", tags=["tide"],
        idempotencyKey="once",
    )  # fmt: skip
    assert (again["duplicate"], again["message"]["id"], again["message"]["subject"]) == (True, sent["id"], "")


async def test_a_thread_keeps_a_subject_that_another_message_has_too(people: People, graph: Graph) -> None:
    ada, bea = await people("ada", "bea")
    marker = f"Quokka{secrets.token_hex(6)}"
    opened = await ada.sends(bea.handle, subject=marker)
    reply = await bea.sends(inReplyTo=opened["id"], subject=marker)
    await retract(ada, opened["id"])
    kinds = sorted(row["kind"] for row in await graph.database.fetch(HOLDING, {"text": marker}))
    assert kinds == ["Message", "Thread"]
    await retract(bea, reply["id"])
    assert await graph.database.fetch(HOLDING, {"text": marker}) == []


async def test_only_the_sender_retracts(people: People, operator: Person, nobody: Person) -> None:
    ada, bea, eve = await people("ada", "bea", "eve")
    sent = await ada.sends(bea.handle, subject="Mine")
    refusals = [(await retract(who, sent["id"]))["refusal"]["code"] for who in (bea, eve, operator)]
    assert refusals == ["FORBIDDEN", "NOT_FOUND", "NOT_FOUND"]
    for id_ in ("msg_01h2xcejqtf2nbrexx3vqjhp41", "nonsense", "", "\ud800", sent["thread"]["id"]):
        payload = await retract(ada, id_)
        assert payload["message"] is None
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == ("NOT_FOUND", "id")
    assert (await nobody.refused(RETRACT, id=sent["id"]))["code"] == "UNAUTHENTICATED"
    assert [entry["message"]["subject"] for entry in await bea.entries()] == ["Mine"]


async def test_a_retracted_handover_is_still_in_the_stack(people: People) -> None:
    (ada,) = await people("ada")
    written = await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "Go on."})
    id_ = written["writeHandover"]["handover"]["message"]["id"]
    await retract(ada, id_)
    (edge,) = (await ada.ask(HANDOVERS))["handovers"]["edges"]
    assert (edge["node"]["message"]["id"], edge["node"]["message"]["bodyText"]) == (id_, "")
    assert edge["node"]["pending"] is True
