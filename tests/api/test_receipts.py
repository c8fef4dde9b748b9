"""Receipts and being seen (issue: lifecycle; DESIGN §3.4; LESSONS 14; ORIGIN 1.4)."""

import pytest

from api.shown import Shown
from tests.api.client import WRITE_HANDOVER, Data, Person
from tests.api.conftest import People

RECEIPTS = """
query($id: ID!, $first: Int = 20, $after: String) { message(id: $id) { receipts(first: $first, after: $after) {
  edges { cursor node { address via deliveredAt seenAt readAt } } pageInfo { hasNextPage endCursor } totalCount
} } }
"""
SEEN = "{ inbox { edges { node { seenAt message { id } } } state } }"


async def receipts(sender: Person, id_: str, **arguments: object) -> Data | None:
    found: Data | None = (await sender.ask(RECEIPTS, id=id_, **arguments))["message"]["receipts"]
    return found


async def seen(sender: Person, id_: str) -> dict[str, bool]:
    page = await receipts(sender, id_)
    assert page is not None
    return {edge["node"]["address"]: edge["node"]["seenAt"] is not None for edge in page["edges"]}


async def test_the_sender_learns_how_far_a_message_came(people: People, shown: Shown) -> None:
    ada, bea, cy, dot = await people("ada", "bea", "cy", "dot")
    id_ = (await ada.sends(bea.handle, cy.handle, cc=[dot.handle]))["id"]
    await bea.entries()
    await cy.marks("markRead", id_)
    await dot.marks("archive", id_)
    await shown.finish()

    page = await receipts(ada, id_)
    assert page is not None
    told = {edge["node"]["address"]: edge["node"] for edge in page["edges"]}
    assert list(told) == sorted([bea.handle, cy.handle, dot.handle])
    assert page["totalCount"] == 3
    assert all(one["deliveredAt"] and one["via"] == "DIRECT" for one in told.values())
    assert {who: (bool(one["seenAt"]), bool(one["readAt"])) for who, one in told.items()} == {
        bea.handle: (True, False),
        cy.handle: (False, True),
        dot.handle: (False, False),
    }
    # In pages of one, by address.
    after, addresses = None, []
    for more in (True, True, False):
        page = await receipts(ada, id_, first=1, after=after)
        assert page is not None
        addresses += [edge["node"]["address"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        assert page["pageInfo"]["hasNextPage"] is more
    assert addresses == list(told)


async def test_receipts_are_for_the_sender_alone(people: People, operator: Person, shown: Shown) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    id_ = (await ada.sends(bea.handle, cc=[cy.handle]))["id"]
    assert await receipts(bea, id_) is None
    assert await receipts(cy, id_) is None
    mine = (await ada.sends(operator.handle))["id"]
    assert await receipts(operator, mine) is None
    # A note to oneself has one receipt; a list asks once for all its messages.
    note = (await ada.sends("@self"))["id"]
    assert await seen(ada, note) == {ada.handle: False}
    await shown.finish()
    assert await seen(ada, note) == {ada.handle: True}, "asking for its receipts was being shown it"
    listed = await ada.ask("{ sent { edges { node { id receipts { totalCount } } } } }")
    totals = {edge["node"]["id"]: edge["node"]["receipts"]["totalCount"] for edge in listed["sent"]["edges"]}
    assert totals == {id_: 2, mine: 1, note: 1}


async def test_what_was_on_the_page_is_seen_and_only_that(people: People, shown: Shown) -> None:
    """DESIGN §3.4: seenAt is stamped after the answer, stays, and moves no state."""
    ada, bea = await people("ada", "bea")
    ids = [(await ada.sends(bea.handle))["id"] for _ in range(3)]
    state = (await bea.ask("{ inbox { unreadCount totalCount state } }"))["inbox"]["state"]
    await bea.ask("{ health { mailbox { unreadCount } } }")
    await bea.ask('{ search(query: "tide") { totalCount edges { cursor } } }')
    await shown.finish()
    assert [await seen(ada, id_) for id_ in ids] == [{bea.handle: False}] * 3, "counts alone show nothing"

    await bea.inbox(first=2)
    await shown.finish()
    assert [await seen(ada, id_) for id_ in ids] == [{bea.handle: False}, {bea.handle: True}, {bea.handle: True}]
    first = (await bea.ask(SEEN))["inbox"]
    assert first["state"] == state
    await shown.finish()
    again = (await bea.ask(SEEN))["inbox"]
    assert [edge["node"]["seenAt"] for edge in again["edges"]][:2] == [e["node"]["seenAt"] for e in first["edges"]][:2]
    assert all(edge["node"]["seenAt"] for edge in again["edges"])
    assert again["state"] == state
    assert (await bea.changes(state))["changed"] == []


@pytest.mark.parametrize(
    "query",
    [
        "query($id: ID!) { message(id: $id) { subject } }",
        "query($id: ID!) { node(id: $id) { id } }",
        "query($id: ID!) { nodes(ids: [$id]) { id } }",
        "query($id: ID!) { thread(id: $id) { messages { edges { node { message { subject } } } } } }",
        "{ inbox { edges { node { uid } } } }",
        "{ health { mailbox { inbox { uid } } } }",
        '{ search(query: "tide") { edges { node { id } } } }',
        '{ search(query: "tide") { edges { delivery { uid } } } }',
        '{ search(query: "tide") { edges { highlights { fragment } } } }',
    ],
)
async def test_every_way_of_reading_is_being_shown(people: People, shown: Shown, query: str) -> None:
    ada, bea, eve = await people("ada", "bea", "eve")
    id_ = (await ada.sends(bea.handle))["id"]
    said = {"id": id_} if "$id" in query else {}
    for person in (ada, eve):
        await person.ask(query, **said)
    await shown.finish()
    assert await seen(ada, id_) == {bea.handle: False}, "it is the owner who is shown it, nobody else"
    await bea.ask(query, **said)
    await shown.finish()
    assert await seen(ada, id_) == {bea.handle: True}


async def test_changes_show_and_a_thread_without_its_messages_does_not(people: People, shown: Shown) -> None:
    ada, bea = await people("ada", "bea")
    state = (await bea.inbox())["state"]
    id_ = (await ada.sends(bea.handle))["id"]
    await bea.ask("query($id: ID!) { thread(id: $id) { messageCount } }", id=id_)
    await bea.ask("query($since: String!) { mailboxChanges(since: $since) { hasMore newState } }", since=state)
    await shown.finish()
    assert await seen(ada, id_) == {bea.handle: False}
    await bea.changes(state)
    await shown.finish()
    assert await seen(ada, id_) == {bea.handle: True}


async def test_writing_to_oneself_is_not_being_shown(people: People, shown: Shown) -> None:
    """A session that leaves a handover has not read it for its successor."""
    (ada,) = await people("ada")
    await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "Go on."})
    await ada.sends("@self")
    await shown.finish()
    assert [edge["node"]["seenAt"] for edge in (await ada.ask(SEEN))["inbox"]["edges"]] == [None, None]
