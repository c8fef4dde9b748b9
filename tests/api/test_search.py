"""Search over HTTP: what is found, what is shown of it, and what nobody learns from it (DESIGN §3.10, §5)."""

import unicodedata

import pytest

from tests.api.acting import ADD_MEMBER, CREATE_ROLE, GRANT, REMOVE_MEMBER, REVOKE
from tests.api.client import MARK_READ, Data, Person
from tests.api.conftest import People
from tests.api.test_query_counts import counted

SEARCH = """
query Search($words: String!, $first: Int = 20, $after: String, $filter: SearchFilter) {
  search(query: $words, first: $first, after: $after, filter: $filter) {
    edges {
      cursor
      node { id subject sender { handle } }
      delivery { uid unread tags }
      highlights { field fragment matches { start end } }
    }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount totalCapped notice
  }
}
"""


async def search(person: Person, words: str, **arguments: object) -> Data:
    page: Data = (await person.ask(SEARCH, words=words, **arguments))["search"]
    return page


async def ids(person: Person, query: str, **arguments: object) -> list[str]:
    page = await search(person, query, **arguments)
    assert page["totalCount"] == len(page["edges"])
    return [edge["node"]["id"] for edge in page["edges"]]


async def test_a_message_is_found_with_the_own_entry_and_the_place_of_the_words(people: People) -> None:
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle, subject="Tide <b>tables</b>", bodyText="High water at six.", tags=["log"])
    page = await search(bea, '"HIGH water" tide')
    (edge,) = page["edges"]
    assert edge["node"] == {"id": sent["id"], "subject": sent["subject"], "sender": {"handle": ada.handle}}
    assert edge["delivery"] == {"uid": 1, "unread": True, "tags": ["log"]}
    assert edge["highlights"] == [
        {"field": "subject", "fragment": "Tide <b>tables</b>", "matches": [{"start": 0, "end": 4}]},
        {"field": "bodyText", "fragment": "High water at six.", "matches": [{"start": 0, "end": 10}]},
    ]
    assert (page["totalCount"], page["totalCapped"]) == (1, False)
    assert "data" in page["notice"]
    # The sender has no entry of it.
    (edge,) = (await search(ada, "tide"))["edges"]
    assert edge["delivery"] is None


async def test_what_one_may_not_see_leaves_no_trace(people: People) -> None:
    """Invariant 10, LESSONS 10: a stranger's answer is that of an empty store; CC and broadcast audience find it."""
    ada, bea, cy, eve = await people("ada", "bea", "cy", "eve")
    empty = await search(eve, "rhodium")
    direct = await ada.sends(bea.handle, cc=[cy.handle], subject="Rhodium", bodyText="Rhodium for two.")
    assert await search(eve, "rhodium") == empty
    assert await search(eve, "rhodium", filter={"from": ada.handle}) == empty
    assert await search(eve, "rhodium", filter={"thread": direct["thread"]["id"]}) == empty
    everyone = await ada.sends("@all", subject="Rhodium")
    (late,) = await people("late")
    assert await ids(eve, "rhodium") == [everyone["id"]]
    assert await ids(late, "rhodium") == []
    for reader in (ada, bea, cy):
        assert await ids(reader, "rhodium") == [everyone["id"], direct["id"]]


async def test_whoever_may_read_a_mailbox_searches_it_for_as_long(people: People, operator: Person) -> None:
    """By grant each of two readers, by role each member; by neither what the owner sent, or an entry of one's own."""
    ada, bea, cy, dot = await people("ada", "bea", "cy", "dot")
    received = await ada.sends(bea.handle, subject="Gallium")
    written = await bea.sends(ada.handle, subject="Gallium")
    for reader in (cy, dot):
        assert await ids(reader, "gallium") == []
        await bea.ask(GRANT, agent=reader.handle, permission="CAN_READ_INBOX_OF")
        (edge,) = (await search(reader, "gallium"))["edges"]
        assert (edge["node"]["id"], edge["delivery"]) == (received["id"], None)
        assert edge["highlights"] != []
    await bea.ask(REVOKE, agent=cy.handle, permission="CAN_READ_INBOX_OF")
    assert await ids(cy, "gallium") == []
    assert await ids(dot, "gallium") == [received["id"]]
    assert await ids(bea, "gallium") == [written["id"], received["id"]]


@pytest.mark.parametrize(("delivery", "found_by_later"), [("QUEUE", True), ("EACH", False)])
async def test_members_of_a_role_search_what_it_got(
    people: People, operator: Person, delivery: str, *, found_by_later: bool
) -> None:
    """A queue has a mailbox, which is its members' while they are; of a group each member has a copy for good."""
    ada, bea, cy, late = await people("ada", "bea", "cy", "late")
    role = f"role:{delivery.lower()}-{bea.handle[1:]}"
    await operator.ask(CREATE_ROLE, input={"address": role, "delivery": delivery})
    for member in (bea, cy):
        await operator.ask(ADD_MEMBER, role=role, agent=member.handle)
    sent = await ada.sends(role, subject="Indium")
    assert await ids(bea, "indium") == await ids(cy, "indium") == await ids(ada, "indium") == [sent["id"]]
    assert await ids(late, "indium") == []
    await operator.ask(ADD_MEMBER, role=role, agent=late.handle)
    assert (await ids(late, "indium") == [sent["id"]]) is found_by_later
    await operator.ask(REMOVE_MEMBER, role=role, agent=cy.handle)
    assert (await ids(cy, "indium") == []) is found_by_later


async def test_filters(people: People) -> None:
    ada, bea = await people("ada", "bea")
    first = await ada.sends(bea.handle, subject="Iridium", tags=["plan"])
    second = await bea.sends(inReplyTo=first["id"], bodyText="Iridium!")
    third = await ada.sends(bea.handle, subject="Iridium")
    await bea.ask(MARK_READ, ids=[third["id"]])
    created = "query($id: ID!) { message(id: $id) { createdAt } }"
    time = (await bea.ask(created, id=second["id"]))["message"]["createdAt"]
    for chosen, expected in (
        ({}, [third, second, first]),
        ({"from": "@self"}, [second]),
        ({"from": ada.handle}, [third, first]),
        ({"tags": ["#Plan"]}, [first]),
        ({"thread": first["thread"]["id"]}, [second, first]),
        ({"unread": True}, [first]),
        ({"unread": False}, [third]),
        ({"since": time}, [third, second]),
        ({"until": time, "from": None}, [second, first]),
    ):
        assert await ids(bea, "iridium", filter=chosen) == [one["id"] for one in expected], chosen


async def test_pages_go_on_from_their_cursor(people: People) -> None:
    """LESSONS 8: a page says whether there is more, and stays where it is while mail arrives."""
    ada, bea = await people("ada", "bea")
    sent = [(await ada.sends(bea.handle, subject="Thulium"))["id"] for _ in range(5)]
    page = await search(bea, "thulium", first=2)
    assert page["pageInfo"]["hasNextPage"] is True
    # A page that is not all of it has its total counted.
    assert page["totalCount"] == 5
    await ada.sends(bea.handle, subject="Thulium")
    rest = await search(bea, "thulium", first=10, after=page["pageInfo"]["endCursor"])
    assert [edge["node"]["id"] for edge in (*page["edges"], *rest["edges"])] == sent[::-1]
    assert (rest["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasPreviousPage"]) == (False, True)
    assert (len(rest["edges"]), rest["totalCount"]) == (3, 6)
    own = await search(bea, "thulium", after=rest["edges"][-1]["cursor"])
    assert own["edges"] == []


async def test_what_was_retracted_is_not_found_by_its_old_words(people: People) -> None:
    """Invariant 5: blanked everywhere, the full-text index included; not even its sender finds it."""
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle, subject="Tantalum", bodyText="Tantalum and terbium.")
    answer = await bea.sends(inReplyTo=sent["id"], bodyText="Terbium?")
    assert await ids(bea, "terbium") == [answer["id"], sent["id"]]
    retracted = await ada.ask(
        "mutation($id: ID!) { retractMessage(id: $id) { message { id } refusal { code } } }", id=sent["id"]
    )
    assert retracted["retractMessage"]["refusal"] is None
    for reader in (ada, bea):
        assert await ids(reader, "tantalum") == []
        assert await ids(reader, "terbium") == [answer["id"]]


@pytest.mark.parametrize(
    "query",
    ["", "---", '"', '" " ""', "readers:*", "* OR *:*", "\\", "/.*/", "[* TO *]", "lutetium AND NOT lutetium", "🌊"],
)
async def test_nothing_but_words_finds_anything(people: People, query: str) -> None:
    """Invariant 10: what the index would read as its own language is text, and text without a word finds nothing."""
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle, subject="Lutetium")
    assert await ids(bea, query) == []


async def test_what_cannot_be_asked_is_refused(people: People, nobody: Person) -> None:
    (ada,) = await people("ada")
    limits = (await ada.ask("{ limits { searchCharacters searchWords } }"))["limits"]
    for query, code in (
        ("x" * (limits["searchCharacters"] + 1), "LIMIT_EXCEEDED"),
        ("x " * 5_000, "LIMIT_EXCEEDED"),
        (" ".join(f"x{number}" for number in range(limits["searchWords"] + 1)), "LIMIT_EXCEEDED"),
        ("\x00", "INVALID_INPUT"),
        ("\ud800", "INVALID_INPUT"),
    ):
        assert (await ada.refused(SEARCH, words=query))["code"] == code, query[:20]
    for after in ("x", (await inbox_cursor(ada))):
        assert (await ada.refused(SEARCH, words="x", after=after))["code"] == "INVALID_INPUT"
    assert (await nobody.refused(SEARCH, words="x"))["code"] == "UNAUTHENTICATED"


async def inbox_cursor(person: Person) -> str:
    await person.sends("@self")
    cursor: str = (await person.inbox())["edges"][0]["cursor"]
    return cursor


@pytest.mark.parametrize("rows", [2, 8])
async def test_a_page_is_a_few_queries_however_many_rows(people: People, rows: int) -> None:
    """LESSONS, how peers are tested: query counts. Windows of time are one query each, and few."""
    ada, bea = await people("ada", "bea")
    for _ in range(rows):
        await ada.sends(bea.handle, subject="Hafnium")
    with counted() as names:
        page = await search(bea, "hafnium", first=rows)
    assert len(page["edges"]) == rows
    assert {name: names.count(name) for name in set(names) - {"search/found"}} == {
        "keys/caller": 1,
        "search/newest": 1,
        "messages/cards": 1,
        "messages/bodies": 1,
        "mailbox/deliveries": 1,
    }
    assert names.count("search/found") <= 6
    with counted() as names:
        await bea.ask('{ search(query: "hafnium") { edges { node { id } } } }')
    assert set(names) == {"keys/caller", "search/newest", "search/found", "messages/cards"}


async def test_accents_are_found_composed_or_apart(people: People) -> None:
    ada, bea = await people("ada", "bea")
    spelled = [unicodedata.normalize(form, f"résumé {ada.handle[1:]}") for form in ("NFC", "NFD")]
    sent = [(await ada.sends(bea.handle, bodyText=text))["id"] for text in spelled]
    for query in spelled:
        assert await ids(bea, query) == sent[::-1]
