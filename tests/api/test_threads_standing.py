"""How threads stand, through the API: beginnings, ends, who is waited for, and the list of them (issue 5, threads)."""

import pytest

from tests.api.client import REMEMBER, Data, Person
from tests.api.conftest import People

STANDING = """
query($id: ID!, $first: Int = 20, $after: String) { thread(id: $id) {
  id messageCount firstMessageAt lastMessageAt firstMessage { id }
  roots(first: $first, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } totalCount }
  heads(first: $first, after: $after) { edges { node { id } } totalCount }
  participation { edges { node { agent { handle } messages lastAt } } totalCount }
  awaitingReplyFrom { agent { handle } message { id createdAt } since }
  begunFrom { id text }
} }
"""
HEADS = """
query($id: ID!, $after: String) { thread(id: $id) {
  heads(first: 2, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } }
} }
"""
PARTICIPATION = """
query($id: ID!, $after: String) { thread(id: $id) {
  participation(first: 1, after: $after) { edges { node { agent { handle } } } pageInfo { hasNextPage endCursor } }
} }
"""
THREADS = """
query($first: Int = 20, $after: String, $filter: ThreadFilter) {
  threads(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id subject messageCount lastMessageAt } }
    pageInfo { hasNextPage hasPreviousPage endCursor }
    notice
  }
}
"""
MEMORY = """
query($id: ID!, $after: String) { memory(id: $id) {
  replies(first: 2, after: $after) {
    edges { node { id inReplyTo { ... on Memory { id } } thread { begunFrom { id } } } }
    pageInfo { hasNextPage endCursor } totalCount
  }
} }
"""


async def _standing(person: Person, id_: str) -> Data:
    thread: Data = (await person.ask(STANDING, id=id_))["thread"]
    return thread


def _ids(connection: Data) -> list[str]:
    return [edge["node"]["id"] for edge in connection["edges"]]


async def test_a_thread_says_how_it_stands_to_each_reader(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cy.handle, expectsReply=True)
    aside = await bea.sends(ada.handle, inReplyTo=root["id"])
    back = await ada.sends(bea.handle, cy.handle, inReplyTo=aside["id"], expectsReply=True)
    beside = await ada.sends(bea.handle, thread=root["thread"]["id"])

    seen = await _standing(ada, back["id"])
    assert (seen["messageCount"], seen["firstMessage"]["id"]) == (4, root["id"])
    assert _ids(seen["roots"]) == [root["id"], beside["id"]]
    assert _ids(seen["heads"]) == [beside["id"], back["id"]]
    counts = {e["node"]["agent"]["handle"]: e["node"]["messages"] for e in seen["participation"]["edges"]}
    assert counts == {ada.handle: 3, bea.handle: 1, cy.handle: 0}
    # Bea answered the first question with what she wrote aside, and owes an answer to the second.
    waited_for = {one["agent"]["handle"]: one["message"]["id"] for one in seen["awaitingReplyFrom"]}
    assert waited_for == {bea.handle: back["id"], cy.handle: root["id"]}
    assert [one["since"] == one["message"]["createdAt"] for one in seen["awaitingReplyFrom"]] == [True, True]

    # Cy does not see what was said aside, so that for him nobody answered.
    seen = await _standing(cy, root["id"])
    assert seen["messageCount"] == 2
    assert (_ids(seen["roots"]), _ids(seen["heads"])) == ([root["id"]], [back["id"]])
    counts = {e["node"]["agent"]["handle"]: e["node"]["messages"] for e in seen["participation"]["edges"]}
    assert counts == {ada.handle: 2, bea.handle: 0, cy.handle: 0}
    assert {one["agent"]["handle"] for one in seen["awaitingReplyFrom"]} == {bea.handle, cy.handle}
    assert aside["id"] not in str(seen)

    await cy.sends(inReplyTo=back["id"])
    assert [one["agent"]["handle"] for one in (await _standing(cy, root["id"]))["awaitingReplyFrom"]] == [bea.handle]
    seen = await _standing(ada, root["id"])
    assert {one["agent"]["handle"]: one["message"]["id"] for one in seen["awaitingReplyFrom"]} == {
        bea.handle: back["id"]
    }


async def test_a_retracted_question_awaits_nothing(people: People) -> None:
    ada, bea = await people("ada", "bea")
    root = await ada.sends(bea.handle, expectsReply=True)
    assert len((await _standing(bea, root["id"]))["awaitingReplyFrom"]) == 1
    await ada.ask("mutation($id: ID!) { retractMessage(id: $id) { refusal { code } } }", id=root["id"])
    assert (await _standing(bea, root["id"]))["awaitingReplyFrom"] == []


async def test_heads_and_participants_page_while_replies_arrive(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cy.handle)
    heads = [(await bea.sends(ada.handle, inReplyTo=root["id"]))["id"] for _ in range(5)]
    found, after, more = [], None, True
    while more:
        page = (await ada.ask(HEADS, id=root["id"], after=after))["thread"]["heads"]
        found += _ids(page)
        more, after = page["pageInfo"]["hasNextPage"], page["pageInfo"]["endCursor"]
        await bea.sends(ada.handle, inReplyTo=root["id"])
    assert found == heads[::-1]
    people_found, after, more = [], None, True
    while more:
        page = (await ada.ask(PARTICIPATION, id=root["id"], after=after))["thread"]["participation"]
        people_found += [edge["node"]["agent"]["handle"] for edge in page["edges"]]
        more, after = page["pageInfo"]["hasNextPage"], page["pageInfo"]["endCursor"]
    assert people_found == sorted([ada.handle, bea.handle, cy.handle])
    other = await ada.sends(bea.handle)
    assert (await ada.refused(HEADS, id=other["id"], after=after))["code"] == "INVALID_INPUT"


async def test_one_s_threads_come_by_activity_in_pages(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    roots = [await ada.sends(bea.handle, subject=f"Matter {number}") for number in range(3)]
    await bea.sends(inReplyTo=roots[0]["id"])
    await ada.sends(cy.handle, inReplyTo=roots[1]["id"])
    whole = (await bea.ask(THREADS))["threads"]
    assert [edge["node"]["subject"] for edge in whole["edges"]] == ["Matter 0", "Matter 2", "Matter 1"]
    assert [edge["node"]["messageCount"] for edge in whole["edges"]] == [2, 1, 1]
    times = [edge["node"]["lastMessageAt"] for edge in whole["edges"]]
    assert times == sorted(times, reverse=True)
    first = (await bea.ask(THREADS, first=2))["threads"]
    assert first["pageInfo"]["hasNextPage"]
    rest = (await bea.ask(THREADS, first=2, after=first["pageInfo"]["endCursor"]))["threads"]
    assert first["edges"] + rest["edges"] == whole["edges"]
    assert (rest["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasPreviousPage"]) == (False, True)
    # Ada's list is by what she sent to cy too, which bea does not see.
    theirs = (await ada.ask(THREADS))["threads"]
    assert [edge["node"]["subject"] for edge in theirs["edges"]] == ["Matter 1", "Matter 0", "Matter 2"]
    assert whole["notice"]


async def test_threads_are_filtered(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    question = await ada.sends(bea.handle, expectsReply=True, tags=["tide"])
    with_cy = await bea.sends(cy.handle)

    async def listed(person: Person, **said: object) -> list[str]:
        return _ids((await person.ask(THREADS, filter=said))["threads"])

    asked, other = question["thread"]["id"], with_cy["thread"]["id"]
    assert await listed(bea) == [other, asked]
    assert await listed(bea, awaitingMe=True) == [asked]
    assert await listed(bea, participant=cy.handle) == [other]
    assert await listed(bea, participant="@self") == [other, asked]
    assert await listed(bea, tags=["#Tide"]) == [asked]
    assert await listed(bea, tags=["never-used"]) == []
    assert await listed(bea, activeSince="2020-01-01T00:00:00Z") == [other, asked]
    assert await listed(bea, activeSince="2120-01-01T00:00:00Z") == []
    assert await listed(ada, awaitingMe=True) == []
    await bea.sends(inReplyTo=question["id"])
    assert await listed(bea, awaitingMe=True) == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"first": 0}, "INVALID_INPUT"),
        ({"first": 101}, "LIMIT_EXCEEDED"),
        ({"after": "x"}, "INVALID_INPUT"),
        ({"filter": {"activeSince": "2026-01-01T00:00:00"}}, "INVALID_INPUT"),
        ({"filter": {"participant": "AGENT:claude/opus"}}, "INVALID_INPUT"),
    ],
)
async def test_what_cannot_be_meant_is_refused(people: People, arguments: Data, code: str) -> None:
    (ada,) = await people("ada")
    assert (await ada.refused(THREADS, **arguments))["code"] == code


async def test_replies_to_a_memory_are_on_it_and_their_threads_say_so(people: People) -> None:
    ada, bea = await people("ada", "bea")
    memory = (await ada.ask(REMEMBER, input={"text": "The tide turns at noon."}))["remember"]["memory"]["id"]
    shared = await ada.sends(bea.handle, memories=[memory])
    replies = [(await bea.sends(ada.handle, inReplyTo=memory))["id"] for _ in range(3)]
    kept = (await ada.sends(ada.handle, inReplyTo=memory))["id"]
    first = (await ada.ask(MEMORY, id=memory))["memory"]["replies"]
    rest = (await ada.ask(MEMORY, id=memory, after=first["pageInfo"]["endCursor"]))["memory"]["replies"]
    assert _ids(first) + _ids(rest) == [*replies, kept]
    assert first["totalCount"] == 4
    assert first["edges"][0]["node"]["inReplyTo"]["id"] == memory
    assert first["edges"][0]["node"]["thread"]["begunFrom"]["id"] == memory
    # Bea sees the memory by what ada sent her, and of its replies her own.
    seen = (await bea.ask(MEMORY, id=memory))["memory"]["replies"]
    assert seen["totalCount"] == 3
    assert kept not in str(seen)
    assert (await _standing(bea, shared["id"]))["begunFrom"] is None
    assert (await _standing(bea, replies[0]))["begunFrom"]["text"] == "The tide turns at noon."


async def test_a_memory_that_one_may_not_see_is_not_what_a_thread_began_from(people: People) -> None:
    """DESIGN §3.10: who gets an answer to somebody's private memory learns nothing of it."""
    ada, bea = await people("ada", "bea")
    memory = (await ada.ask(REMEMBER, input={"text": "For me alone."}))["remember"]["memory"]["id"]
    reply = await ada.sends(bea.handle, inReplyTo=memory)
    assert (await _standing(bea, reply["id"]))["begunFrom"] is None
    assert (await bea.ask(MEMORY, id=memory))["memory"] is None
    assert (await _standing(ada, reply["id"]))["begunFrom"]["id"] == memory


async def test_the_limit_of_a_thread_is_published(people: People) -> None:
    (ada,) = await people("ada")
    assert (await ada.ask("{ limits { threadMembers } }"))["limits"]["threadMembers"] == 20_000
