"""Search over nodes of every kind, and the neighbourhood of what it found (issue 5, decision 0018)."""

import secrets

from tests.api.client import REMEMBER, Person
from tests.api.conftest import People

FIND = """
query Find($words: String!, $labels: [NodeLabel!], $first: Int = 20) {
  searchNodes(query: $words, labels: $labels, first: $first) { nodes { id __typename } notice }
}
"""
ROUND = """
query Round($words: String!, $hops: Int = 1, $limit: Int = 50) {
  searchGraph(query: $words, hops: $hops, limit: $limit) { seeds nodes { id } edges { type from to } stopped }
}
"""


async def found(person: Person, query: str, *labels: str, first: int = 20) -> list[str]:
    answer = await person.ask(FIND, words=query, labels=list(labels) or None, first=first)
    return [node["id"] for node in answer["searchNodes"]["nodes"]]


async def test_each_kind_is_found_by_what_it_says(people: People, analyst: Person) -> None:
    ada, bea = await people("ada", "bea")
    word = f"word{secrets.token_hex(6)}"
    kept = (await ada.ask(REMEMBER, input={"text": f"The {word} is low.", "tags": [word]}))["remember"]["memory"]["id"]
    sent = await ada.sends(bea.handle, bodyText=f"About {word}.", originSession=f"{word}-watch")
    session = (await ada.ask("query($i: ID!) { message(id: $i) { originSession { id } } }", i=sent["id"]))["message"]
    every = {kept, sent["id"], session["originSession"]["id"], f"concept:{word}"}
    assert set(await found(ada, word)) == every
    assert set(await found(analyst, word)) == every
    # A session that a message names can be seen, but it is not one's own to search for.
    assert await found(bea, word) == [sent["id"]]
    assert await found(ada, word, "MEMORY") == [kept]
    assert len(await found(ada, word, first=2)) == 2
    assert await found(bea, ada.handle, "IDENTITY") == [ada.handle]


async def test_text_is_text_and_kinds_without_text_are_refused(people: People) -> None:
    (ada,) = await people("ada")
    assert await found(ada, '*:* OR owner:"x') == []
    assert await found(ada, "---") == []
    assert (await ada.refused(FIND, words="x", labels=["TICKET"]))["code"] == "INVALID_INPUT"


async def test_what_is_found_comes_with_its_neighbourhood(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    word = f"word{secrets.token_hex(6)}"
    sent = await ada.sends(bea.handle, bodyText=f"About {word}.")
    answer = await bea.sends(inReplyTo=sent["id"], bodyText="Yes.")
    piece = (await bea.ask(ROUND, words=word))["searchGraph"]
    assert piece["seeds"] == [sent["id"]]
    assert {node["id"] for node in piece["nodes"]} >= {sent["id"], answer["id"], ada.handle, bea.handle}
    assert {"type": "IN_REPLY_TO", "from": answer["id"], "to": sent["id"]} in piece["edges"]
    assert (await cy.ask(ROUND, words=word))["searchGraph"] == {
        "seeds": [],
        "nodes": [],
        "edges": [],
        "stopped": False,
    }
    refused = await bea.answer(ROUND, {"words": word, "hops": 3})
    assert "searchHopsMax" in refused["errors"][0]["message"]
