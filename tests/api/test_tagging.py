"""A recipient's own tags (issue 4, "Tags and concepts"; DESIGN §3.5: the tags a message was sent with never change)."""

from typing import Any

import pytest

from tests.api.client import Data, Person
from tests.api.conftest import People

TAG = """
mutation Tag($ids: [ID!]!, $add: [String!], $remove: [String!]) {
  tag(ids: $ids, add: $add, remove: $remove) {
    results { id delivery { uid unread tags message { tags } } refusal { code field message } }
    state
    refusal { code field message }
  }
}
"""


async def tags(person: Person, *ids: str, **said: Any) -> list[Data]:
    """Tag entries, which must not be refused as a whole, and return the results."""
    payload = (await person.ask(TAG, ids=list(ids), **said))["tag"]
    assert payload["refusal"] is None, payload["refusal"]
    results: list[Data] = payload["results"]
    return results


async def test_own_tags_are_on_the_entry_and_not_on_the_message(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    message = await ada.sends(bea.handle, cy.handle, tags=["tide"])
    (result,) = await tags(bea, message["id"], add=["#Review", "CONCEPT:urgent"], remove=["tide"])
    assert result["delivery"]["tags"] == ["review", "urgent"]
    assert result["delivery"]["message"]["tags"] == ["tide"]
    (entry,) = await bea.entries(filter={"tags": ["review", "urgent"]})
    assert entry["message"]["id"] == message["id"]
    assert await bea.entries(filter={"tags": ["tide"]}) == []
    # What one recipient does, no other sees.
    (other,) = await cy.entries()
    assert (other["tags"], other["message"]["tags"]) == (["tide"], ["tide"])
    assert await cy.entries(filter={"tags": ["review"]}) == []


async def test_each_changed_entry_raises_the_state_once_and_others_do_not(people: People) -> None:
    ada, bea = await people("ada", "bea")
    one, other = [(await ada.sends(bea.handle, tags=["tide"]))["id"] for _ in range(2)]
    before = (await bea.inbox())["state"]
    same = (await bea.ask(TAG, ids=[one, other], add=["tide"], remove=["never-there"]))["tag"]
    assert same["state"] == before
    assert [result["delivery"]["tags"] for result in same["results"]] == [["tide"], ["tide"]]
    changed = (await bea.ask(TAG, ids=[one], add=["log"]))["tag"]
    assert changed["state"] != before
    assert (await bea.inbox())["state"] == changed["state"]


async def test_a_bad_id_does_not_fail_the_rest(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    good = (await ada.sends(bea.handle))["id"]
    foreign = (await ada.sends(cy.handle))["id"]
    sent = (await bea.sends(ada.handle))["id"]
    results = await tags(bea, "nonsense", good, foreign, sent, add=["log"])
    assert [result["id"] for result in results] == ["nonsense", good, foreign, sent]
    assert [(result["refusal"] or {}).get("code") for result in results] == [
        "NOT_FOUND",
        None,
        "NOT_FOUND",
        "NOT_FOUND",
    ]
    assert (await cy.entries())[0]["tags"] == []


async def test_an_entry_with_too_many_tags_is_refused_alone(people: People) -> None:
    ada, bea = await people("ada", "bea")
    full = (await ada.sends(bea.handle, tags=[f"tag-{number}" for number in range(31)]))["id"]
    free = (await ada.sends(bea.handle))["id"]
    results = await tags(bea, full, free, add=["one", "two"])
    assert results[0]["refusal"]["code"] == "LIMIT_EXCEEDED"
    assert results[0]["delivery"] is None
    assert results[1]["delivery"]["tags"] == ["one", "two"]
    swapped = await tags(bea, full, add=["one", "two"], remove=["tag-0"])
    assert len(swapped[0]["delivery"]["tags"]) == 32


@pytest.mark.parametrize(
    ("said", "code", "field"),
    [
        ({"add": ["sunset-protocol-handover"]}, "RESERVED_TAG", "add"),
        ({"remove": ["#Sunset-Protocol-Handover"]}, "RESERVED_TAG", "remove"),
        ({}, "INVALID_INPUT", "add"),
        ({"add": [], "remove": None}, "INVALID_INPUT", "add"),
        ({"add": ["tide"], "remove": ["#tide"]}, "INVALID_INPUT", "remove"),
        ({"add": [" "]}, "INVALID_INPUT", "add"),
        ({"add": ["a" * 65]}, "LIMIT_EXCEEDED", "add"),
        ({"add": [f"tag-{number}" for number in range(33)]}, "LIMIT_EXCEEDED", "add"),
        ({"add": ["tide"], "ids": []}, "INVALID_INPUT", "ids"),
        ({"add": ["tide"], "ids": ["msg"] * 501}, "LIMIT_EXCEEDED", "ids"),
    ],
)
async def test_what_cannot_be_meant_is_refused_as_a_whole(people: People, said: Data, code: str, field: str) -> None:
    ada, bea = await people("ada", "bea")
    message = await ada.sends(bea.handle)
    payload = (await bea.ask(TAG, **{"ids": [message["id"]], **said}))["tag"]
    assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (code, field)
    assert (payload["results"], payload["state"]) == (None, None)
    assert (await bea.entries())[0]["tags"] == []


async def test_a_handover_keeps_its_reserved_tag(people: People) -> None:
    """Seed 000: the tag marks a handover; without it the successor would not find what was left."""
    (ada,) = await people("ada")
    message = await ada.sends(ada.handle, tags=["sunset-protocol-handover"], originSession="watch-1")
    payload = (await ada.ask(TAG, ids=[message["id"]], remove=["sunset-protocol-handover"]))["tag"]
    assert payload["refusal"]["code"] == "RESERVED_TAG"
    (result,) = await tags(ada, message["id"], add=["log"])
    assert result["delivery"]["tags"] == ["sunset-protocol-handover", "log"]


async def test_reading_a_tagged_entry_keeps_the_tag_index_right(people: People) -> None:
    ada, bea = await people("ada", "bea")
    message = await ada.sends(bea.handle)
    await tags(bea, message["id"], add=["log"])
    assert len(await bea.entries(filter={"tags": ["log"], "unread": True})) == 1
    await bea.ask("mutation($ids: [ID!]) { markRead(ids: $ids) { state } }", ids=[message["id"]])
    assert await bea.entries(filter={"tags": ["log"], "unread": True}) == []
    await tags(bea, message["id"], add=["later"])
    assert await bea.entries(filter={"tags": ["later"], "unread": True}) == []
    assert len(await bea.entries(filter={"tags": ["later"], "unread": False})) == 1


async def test_nobody_without_a_key_tags(nobody: Person) -> None:
    assert (await nobody.refused(TAG, ids=["msg"], add=["tide"]))["code"] == "UNAUTHENTICATED"
