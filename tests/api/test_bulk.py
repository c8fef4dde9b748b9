"""Sending many at once: `sendMessages`, on the batch write path (issue 4, bulk)."""

from typing import Any

from graph.bootstrap import Graph
from tests.api.client import Data, Person
from tests.api.conftest import People
from tests.soak.audit import faults, mailbox_audit

SEND_ALL = """
mutation SendAll($inputs: [SendMessageInput!]!) {
  sendMessages(inputs: $inputs) {
    results {
      message { id subject bodyText recipients { address kind } thread { id } originSession { id } }
      duplicate
      refusal { code message field candidates }
    }
    refusal { code message field }
  }
}
"""


def letter(*to: str, **said: Any) -> Data:
    """Return the input of a message."""
    return {"to": list(to), "subject": "Tide tables", "bodyText": "High water at six.", **said}


async def send_all(person: Person, *inputs: Data) -> list[Data]:
    """Send the messages and return the results; each has a message or a refusal, and never both."""
    payload = (await person.ask(SEND_ALL, inputs=list(inputs)))["sendMessages"]
    assert payload["refusal"] is None, payload
    results: list[Data] = payload["results"]
    for result in results:
        assert (result["message"] is None) != (result["refusal"] is None)
        assert (result["duplicate"] is None) == (result["message"] is None)
    return results


async def test_a_hundred_good_and_bad_messages(people: People, graph: Graph) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    unknown = bea.handle[:-1]
    bad = {
        1: (letter(unknown), "UNKNOWN_ADDRESS", "to"),
        2: (letter(bea.handle, cc=[unknown]), "UNKNOWN_ADDRESS", "cc"),
        3: (letter(bea.handle, subject=" "), "INVALID_INPUT", "subject"),
        4: (letter(bea.handle, tags=["sunset-protocol-handover"]), "RESERVED_TAG", "tags"),
        5: (letter(inReplyTo="msg_01h2xcejqtf2nbrexx3vqjhp41"), "INVALID_INPUT", "to"),
        6: (letter(bea.handle, inReplyTo="msg_01h2xcejqtf2nbrexx3vqjhp41"), "NOT_FOUND", "inReplyTo"),
        7: (letter(bea.handle, subject="x" * 501), "LIMIT_EXCEEDED", "subject"),
        8: (letter(), "INVALID_INPUT", "to"),
    }
    inputs = [
        bad[number % 10][0] if number % 10 in bad else letter(bea.handle, cy.handle, subject=f"number {number}")
        for number in range(100)
    ]

    results = await send_all(ada, *inputs)

    assert len(results) == 100
    for number, result in enumerate(results):
        if number % 10 in bad:
            _, code, field = bad[number % 10]
            assert (result["refusal"]["code"], result["refusal"]["field"]) == (code, field)
        else:
            assert result["message"]["subject"] == f"number {number}"
            assert result["duplicate"] is False
    for number in (1, 2, 51, 92):
        assert bea.handle in results[number]["refusal"]["candidates"], "candidates as sendMessage has them"
    # Read back as the others: in the order sent, and nothing of what was refused.
    good = [number for number in range(100) if number % 10 not in bad]
    for reader in (bea, cy):
        subjects = [entry["message"]["subject"] for entry in await reader.entries()]
        assert subjects == [f"number {number}" for number in reversed(good)]
        assert [entry.uid for entry in (await mailbox_audit(graph.database, reader.handle)).entries] == list(
            range(1, len(good) + 1)
        )
    assert await faults(graph.database, [ada.handle, bea.handle, cy.handle]) == []


async def test_none_and_101_are_refused_as_a_whole(people: People, graph: Graph) -> None:
    ada, bea = await people("ada", "bea")
    for inputs, code in (([], "INVALID_INPUT"), ([letter(bea.handle)] * 101, "LIMIT_EXCEEDED")):
        payload = (await ada.ask(SEND_ALL, inputs=inputs))["sendMessages"]
        assert payload["results"] is None
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (code, "inputs")
        assert ("bulkMessages" in payload["refusal"]["message"]) is (code == "LIMIT_EXCEEDED")
    assert (await ada.ask("{ limits { bulkMessages } }"))["limits"] == {"bulkMessages": 100}
    assert not (await mailbox_audit(graph.database, bea.handle)).entries


async def test_keys_and_sessions_of_one_call_are_as_if_sent_in_turn(people: People, graph: Graph) -> None:
    """DESIGN §3.9: a second with the same key is the first again, or a conflict; a session is opened once."""
    ada, bea = await people("ada", "bea")
    keyed = letter(bea.handle, idempotencyKey="tide", originSession="watch-1")
    inputs = (
        keyed,
        keyed,
        {**keyed, "bodyText": "Low water at six."},
        letter(bea.handle, originSession="watch-1", relatedSessions=["watch-1"]),
    )

    first, again, other, related = await send_all(ada, *inputs)

    assert (first["duplicate"], again["duplicate"]) == (False, True)
    assert first["message"] == again["message"]
    assert (other["refusal"]["code"], other["refusal"]["field"]) == ("IDEMPOTENCY_CONFLICT", "idempotencyKey")
    assert related["message"]["originSession"] == first["message"]["originSession"] is not None
    assert len(await bea.entries()) == 2
    # The whole call again, as after a lost answer: what had a key is not sent again.
    once_more = await send_all(ada, *inputs)
    assert [result["duplicate"] for result in once_more] == [True, True, None, False]
    assert once_more[0]["message"] == first["message"]
    assert len(await bea.entries()) == 3
    assert await faults(graph.database, [ada.handle, bea.handle]) == []


async def test_replies_broadcasts_and_handovers_go_in_bulk_too(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    asked = await bea.sends(ada.handle, subject="Who takes the watch?")
    answer = {"subject": "I do", "bodyText": "", "inReplyTo": asked["id"]}

    reply, everyone, handover = await send_all(
        ada,
        answer,
        letter("@all"),
        letter("@self", tags=["sunset-protocol-handover"], originSession="watch-1"),
    )

    assert reply["message"]["recipients"] == [{"address": bea.handle, "kind": "TO"}]
    assert reply["message"]["thread"] == asked["thread"]
    got = [entry["message"]["id"] for entry in await bea.entries()]
    assert got[:2] == [everyone["message"]["id"], reply["message"]["id"]]
    assert (await cy.entries())[0]["message"]["id"] == everyone["message"]["id"]
    assert (await ada.entries())[0]["message"]["id"] == handover["message"]["id"]


async def test_sending_in_bulk_needs_a_key(nobody: Person) -> None:
    assert (await nobody.refused(SEND_ALL, inputs=[letter("@ada")]))["code"] == "UNAUTHENTICATED"
