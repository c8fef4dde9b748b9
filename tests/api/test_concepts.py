"""Concepts and the operators' ontology (issue 4, "Tags and concepts"; DESIGN §3.10 for what one may not see)."""

import secrets
from typing import Any

import pytest

from tests.api.client import REMEMBER, Data, Person
from tests.api.conftest import People
from tests.api.test_query_counts import counted
from tests.api.test_tagging import tags

CONCEPT = """
fragment concept on Concept {
  id name description registered aliases broader { name } narrower { name } entryCount unreadCount countsCapped
}
"""
DEFINE = (
    """
mutation Define($input: DefineConceptInput!) {
  defineConcept(input: $input) { concept { ...concept } refusal { code field message } }
}
"""
    + CONCEPT
)
ONE = "query One($name: String!) { concept(name: $name) { ...concept } }" + CONCEPT
LIST = """
query List($first: Int = 100, $after: String, $filter: ConceptFilter) {
  concepts(first: $first, after: $after, filter: $filter) {
    edges { cursor node { name registered } } pageInfo { hasNextPage endCursor }
  }
}
"""
SENT = """
query Sent($filter: SentFilter, $first: Int = 100) {
  sent(filter: $filter, first: $first) { edges { node { id } } totalCount pageInfo { hasNextPage } }
}
"""
SEARCH = 'query Search($filter: SearchFilter) { search(query: "tide", filter: $filter) { edges { node { id } } } }'


@pytest.fixture
def word() -> str:
    """Return the beginning of names that no other test has."""
    return f"w{secrets.token_hex(4)}"


async def define(operator: Person, name: str, **said: Any) -> Data:
    """Define a concept, which must not be refused, and return it."""
    payload = (await operator.ask(DEFINE, input={"name": name, **said}))["defineConcept"]
    assert payload["refusal"] is None, payload["refusal"]
    concept: Data = payload["concept"]
    return concept


async def refused(person: Person, name: str, **said: Any) -> Data:
    """Try to define a concept, and return the refusal."""
    payload = (await person.ask(DEFINE, input={"name": name, **said}))["defineConcept"]
    assert payload["concept"] is None
    refusal: Data = payload["refusal"]
    return refusal


async def sent_ids(person: Person, **chosen: Any) -> list[str]:
    found = (await person.ask(SENT, filter=chosen))["sent"]
    ids = [edge["node"]["id"] for edge in found["edges"]]
    assert found["totalCount"] == len(ids)
    return ids


async def search_ids(person: Person, **chosen: Any) -> list[str]:
    found = (await person.ask(SEARCH, filter=chosen))["search"]
    return [edge["node"]["id"] for edge in found["edges"]]


async def inbox_ids(person: Person, **chosen: Any) -> list[str]:
    page = await person.inbox(first=100, filter=chosen)
    ids = [edge["node"]["message"]["id"] for edge in page["edges"]]
    assert page["totalCount"] == len(ids)
    return ids


async def test_an_operator_defines_a_concept_and_everybody_sees_it(people: People, operator: Person, word: str) -> None:
    await define(operator, f"{word}-storage", description="Where things are kept.")
    made = await define(
        operator, f"#{word.upper()}-Database", aliases=[f"{word}-db"], broader=[f"{word}-storage"], description="Rows."
    )
    assert (made["name"], made["id"], made["registered"]) == (f"{word}-database", f"concept:{word}-database", True)
    assert (made["aliases"], made["broader"], made["description"]) == (
        [f"{word}-db"],
        [{"name": f"{word}-storage"}],
        "Rows.",
    )
    (stranger,) = await people("stranger")
    for name in (f"{word}-database", f"{word}-db", f"CONCEPT:{word}-DB"):
        assert (await stranger.ask(ONE, name=name))["concept"]["name"] == f"{word}-database"
    above = (await stranger.ask(ONE, name=f"{word}-storage"))["concept"]
    assert above["narrower"] == [{"name": f"{word}-database"}]
    assert (await stranger.ask("query($id: ID!) { node(id: $id) { id } }", id=made["id"]))["node"] == {"id": made["id"]}


async def test_what_is_said_again_takes_the_place_and_what_is_left_out_stays(operator: Person, word: str) -> None:
    await define(operator, f"{word}-up")
    await define(operator, f"{word}-top")
    await define(operator, word, aliases=[f"{word}-1", f"{word}-2"], broader=[f"{word}-up"], description="One.")
    same = await define(operator, word)
    assert (same["aliases"], same["broader"], same["description"]) == (
        [f"{word}-1", f"{word}-2"],
        [{"name": f"{word}-up"}],
        "One.",
    )
    other = await define(operator, word, aliases=[f"{word}-2", f"{word}-3"], broader=[f"{word}-top"], description="")
    assert (other["aliases"], other["broader"], other["description"]) == (
        [f"{word}-2", f"{word}-3"],
        [{"name": f"{word}-top"}],
        None,
    )
    # What is no alias any more is a name of its own again, which nobody uses.
    assert (await operator.ask(ONE, name=f"{word}-1"))["concept"] is None


async def test_a_definition_that_contradicts_another_is_refused(operator: Person, word: str) -> None:
    await define(operator, word, aliases=[f"{word}-alias"])
    await define(operator, f"{word}-other")
    cases: list[tuple[Data, str, str]] = [
        ({"name": f"{word}-alias"}, "CONFLICT", "name"),
        ({"name": f"{word}-other", "aliases": [word]}, "CONFLICT", "aliases"),
        ({"name": f"{word}-other", "aliases": [f"{word}-alias"]}, "CONFLICT", "aliases"),
        ({"name": f"{word}-other", "aliases": [f"#{word}-other"]}, "INVALID_INPUT", "aliases"),
        ({"name": f"{word}-other", "broader": [f"{word}-nowhere"]}, "NOT_FOUND", "broader"),
        ({"name": f"{word}-new", "aliases": ["sunset-protocol-handover"]}, "RESERVED_TAG", "aliases"),
        ({"name": "sunset-protocol-handover"}, "RESERVED_TAG", "name"),
        ({"name": " "}, "INVALID_INPUT", "name"),
        ({"name": f"{word}-new", "description": "a" * 2001}, "LIMIT_EXCEEDED", "description"),
        ({"name": f"{word}-new", "aliases": [f"{word}-{number}" for number in range(51)]}, "LIMIT_EXCEEDED", "aliases"),
    ]
    for said, code, field in cases:
        refusal = await refused(operator, **said)
        assert (refusal["code"], refusal["field"]) == (code, field), said
    # Nothing of what was refused was stored.
    assert (await operator.ask(ONE, name=f"{word}-new"))["concept"] is None
    assert (await operator.ask(ONE, name=f"{word}-other"))["concept"]["aliases"] == []


async def test_a_circle_is_refused_and_its_path_named(operator: Person, word: str) -> None:
    top, middle, low = f"{word}-top", f"{word}-middle", f"{word}-low"
    await define(operator, top)
    await define(operator, middle, broader=[top])
    await define(operator, low, broader=[middle])
    refusal = await refused(operator, top, broader=[low])
    assert (refusal["code"], refusal["field"]) == ("CONFLICT", "broader")
    assert f"{top} → {low} → {middle} → {top}" in refusal["message"]
    itself = await refused(operator, low, broader=[low])
    assert f"{low} → {low}" in itself["message"]
    assert (await operator.ask(ONE, name=top))["concept"]["broader"] == []


async def test_only_operators_define(people: People, nobody: Person, word: str) -> None:
    (ada,) = await people("ada")
    assert (await refused(ada, word))["code"] == "FORBIDDEN"
    assert (await nobody.refused(DEFINE, input={"name": word}))["code"] == "UNAUTHENTICATED"
    assert (await ada.ask(ONE, name=word))["concept"] is None


async def test_a_filter_finds_what_was_filed_under_an_alias_before(people: People, operator: Person, word: str) -> None:
    ada, bea = await people("ada", "bea")
    old = (await ada.sends(bea.handle, tags=[f"{word}-db"]))["id"]
    both = (await ada.sends(bea.handle, tags=[f"{word}-db", word, "log"]))["id"]
    await define(operator, word, aliases=[f"{word}-db"])
    for name in (word, f"{word}-db"):
        assert await inbox_ids(bea, tags=[name]) == [both, old]
        assert await inbox_ids(bea, tags=[name], unread=True) == [both, old]
        assert await inbox_ids(bea, tags=[name], includeArchived=True) == [both, old]
        assert await inbox_ids(bea, tags=[name, "log"]) == [both]
        assert await inbox_ids(bea, tags=[name], **{"from": ada.handle}) == [both, old]
        for reader in (ada, bea):
            assert await search_ids(reader, tags=[name]) == [both, old]
            assert await search_ids(reader, tags=[name, "log"]) == [both]
        assert await sent_ids(ada, tags=[name]) == [both, old]
        assert await sent_ids(ada, tags=[name, "log"], to=bea.handle) == [both]
    concept = (await bea.ask(ONE, name=word))["concept"]
    assert (concept["entryCount"], concept["unreadCount"], concept["countsCapped"]) == (2, 2, False)


async def test_tagging_with_an_alias_gives_the_concept_and_removing_it_takes_all_names(
    people: People, operator: Person, word: str
) -> None:
    ada, bea = await people("ada", "bea")
    message = (await ada.sends(bea.handle, tags=[f"{word}-db"]))["id"]
    await define(operator, word, aliases=[f"{word}-db", f"{word}-base"])
    (result,) = await tags(bea, message, add=[f"{word}-base"])
    assert result["delivery"]["tags"] == [f"{word}-db", word]
    (result,) = await tags(bea, message, remove=[f"{word}-base"])
    assert result["delivery"]["tags"] == []
    assert await inbox_ids(bea, tags=[word]) == []


async def test_a_tag_that_is_an_alias_is_the_concept_from_the_send_on(
    people: People, operator: Person, word: str
) -> None:
    ada, bea = await people("ada", "bea")
    said = {"tags": [f"{word}-db", "log"], "idempotencyKey": word}
    before = await ada.sends(bea.handle, **said)
    await define(operator, word, aliases=[f"{word}-db", f"{word}-base"])
    after = await ada.sends(bea.handle, tags=[f"#{word}-DB", "log", word, f"{word}-base"])
    assert (before["tags"], after["tags"]) == ([f"{word}-db", "log"], [word, "log"])
    assert [entry["tags"] for entry in await bea.entries()] == [[word, "log"], [f"{word}-db", "log"]]
    # A retry means what it meant when it was first said.
    assert (await ada.tries(bea.handle, **said))["duplicate"]
    memory = await ada.ask(REMEMBER, input={"text": "Kept.", "tags": [f"{word}-db", word]})
    assert memory["remember"]["memory"]["tags"] == [word]


async def test_narrower_concepts_are_included_where_that_is_said(people: People, operator: Person, word: str) -> None:
    ada, bea = await people("ada", "bea")
    top, left, right, low = word, f"{word}-left", f"{word}-right", f"{word}-low"
    await define(operator, top)
    await define(operator, left, broader=[top])
    await define(operator, right, broader=[top])
    await define(operator, low, broader=[left, right], aliases=[f"{word}-deep"])
    sent = [
        (await ada.sends(bea.handle, tags=list(tagged)))["id"]
        for tagged in [(top,), (left,), (low, left), (low, "log"), ("log",)]
    ]
    assert await inbox_ids(bea, tags=[top]) == sent[:1]
    assert await inbox_ids(bea, tags=[top], includeNarrower=True) == sent[3::-1]
    assert await inbox_ids(bea, tags=[top], includeNarrower=True, unread=True) == sent[3::-1]
    assert await inbox_ids(bea, tags=[left], includeNarrower=True) == [sent[3], sent[2], sent[1]]
    assert await inbox_ids(bea, tags=["log", top], includeNarrower=True) == [sent[3]]
    assert await sent_ids(ada, tags=[top], includeNarrower=True) == sent[3::-1]
    assert await sent_ids(ada, tags=[top], includeNarrower=False) == sent[:1]
    for reader in (ada, bea):
        assert await search_ids(reader, tags=[top], includeNarrower=True) == sent[3::-1]
        assert await search_ids(reader, tags=["log", top], includeNarrower=True) == [sent[3]]
        assert await search_ids(reader, tags=[top]) == sent[:1]
    # Pages go on where they stopped, whichever names their rows come from.
    found, after = [], None
    while True:
        page = await bea.inbox(first=1, after=after, filter={"tags": [top], "includeNarrower": True})
        found += [edge["node"]["message"]["id"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert found == sent[3::-1]


async def test_a_stranger_sees_registered_concepts_and_what_stands_on_his_own(
    people: People, operator: Person, word: str
) -> None:
    """DESIGN §3.10: what one may not see, one cannot infer; a tag of others' mail is as if it did not exist."""
    ada, bea, eve = await people("ada", "bea", "eve")
    await ada.sends(bea.handle, tags=[f"{word}-secret"])
    message = (await ada.sends(bea.handle))["id"]
    await tags(bea, message, add=[f"{word}-private"])
    await bea.ask(
        "mutation($input: RememberInput!) { remember(input: $input) { memory { id } } }",
        input={"text": "Kept.", "tags": [f"{word}-kept"]},
    )
    await define(operator, f"{word}-public", aliases=[f"{word}-open"])

    async def seen(person: Person, **chosen: Any) -> list[str]:
        page = (await person.ask(LIST, filter={"prefix": f"#{word.upper()}", **chosen}))["concepts"]
        assert not page["pageInfo"]["hasNextPage"]
        return [edge["node"]["name"] for edge in page["edges"]]

    public = [f"{word}-public"]
    assert await seen(eve) == public
    assert await seen(ada) == [*public, f"{word}-secret"]
    assert await seen(bea) == [f"{word}-kept", f"{word}-private", *public, f"{word}-secret"]
    assert await seen(bea, registered=True) == public
    assert await seen(bea, registered=False) == [f"{word}-kept", f"{word}-private", f"{word}-secret"]
    for name in (f"{word}-secret", f"{word}-private", f"{word}-kept", f"{word}-nothing"):
        assert (await eve.ask(ONE, name=name))["concept"] is None
        node = await eve.ask("query($id: ID!) { node(id: $id) { id } }", id=f"concept:{name}")
        assert node["node"] is None
    assert (await ada.ask(ONE, name=f"{word}-private"))["concept"] is None
    counted_by_eve = (await eve.ask(ONE, name=f"{word}-public"))["concept"]
    assert (counted_by_eve["entryCount"], counted_by_eve["unreadCount"]) == (0, 0)


async def test_pages_of_concepts_go_on_where_they_stopped(people: People, word: str) -> None:
    ada, bea = await people("ada", "bea")
    mine = [f"{word}-{number:02}" for number in range(7)]
    await ada.sends(ada.handle, tags=mine[::2])
    await bea.sends(bea.handle, tags=mine[1::2])
    found, after, pages = [], None, 0
    while True:
        page = (await ada.ask(LIST, first=2, after=after, filter={"prefix": word}))["concepts"]
        found += [edge["node"]["name"] for edge in page["edges"]]
        after, pages = page["pageInfo"]["endCursor"], pages + 1
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert (found, pages) == (mine[::2], 2)
    assert (await ada.refused(LIST, after="nonsense"))["code"] == "INVALID_INPUT"
    assert (await ada.refused(ONE, name=" "))["code"] == "INVALID_INPUT"


async def test_a_page_by_tag_asks_one_thing_more_than_any_other(people: People, word: str) -> None:
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle, tags=[word])
    page = "query($filter: InboxFilter) { inbox(filter: $filter) { edges { node { uid } } } }"
    with counted() as names:
        await bea.ask(page, filter={"tags": [word]})
    assert names == ["keys/caller", "concepts/meant", "mailbox/inbox_tag"]
    with counted() as names:
        await bea.ask(page, filter={"tags": [word, "log"]})
    assert names == ["keys/caller", "concepts/meant", "mailbox/tag_counts", "mailbox/inbox_tag"]


async def test_a_list_of_concepts_asks_once_for_each_kind_of_edge(people: People, operator: Person, word: str) -> None:
    (ada,) = await people("ada")
    for number in range(4):
        await define(operator, f"{word}-{number}", broader=[f"{word}-0"] if number else [])
    page = """query($filter: ConceptFilter) { concepts(filter: $filter) { edges { node {
      name aliases broader { name } narrower { name } entryCount unreadCount countsCapped
    } } } }"""
    with counted() as names:
        found = (await ada.ask(page, filter={"prefix": word}))["concepts"]["edges"]
    assert len(found) == 4
    assert sorted(names) == ["concepts/cards", "concepts/counts", "concepts/list", "concepts/relations", "keys/caller"]


async def test_a_message_shows_the_concepts_of_its_tags(people: People, word: str) -> None:
    ada, bea = await people("ada", "bea")
    message = (await ada.sends(bea.handle, tags=[word]))["id"]
    shown = "query($id: ID!) { message(id: $id) { concepts { concept { name registered } source } } }"
    assert (await bea.ask(shown, id=message))["message"]["concepts"] == [
        {"concept": {"name": word, "registered": False}, "source": "SENDER"}
    ]
