"""Changes through the API (issue: changes; DESIGN §3.3; LESSONS 8, 13)."""

from api.shown import Shown
from api.states import encode_state
from graph.bootstrap import Graph
from graph.database import Transaction
from graph.queries import Query
from graph.rules.states import State
from tests.api.acting import GRANT, REVOKE
from tests.api.client import CHANGES, RETRACT, Data, Person
from tests.api.conftest import People

RAISE_FLOOR = Query(
    "test/floor", "MATCH (b:Mailbox {address: $mailbox}) SET b.floor = b.modseq, b.modseq = b.modseq + 1"
)


def subjects(entries: list[Data]) -> list[str]:
    return [entry["message"]["subject"] for entry in entries]


async def test_what_came_and_what_changed_is_told_once_and_in_order(people: People) -> None:
    ada, bea = await people("ada", "bea")
    ids = [(await ada.sends(bea.handle, subject=f"Old {number}"))["id"] for number in range(3)]
    start = (await bea.inbox())["state"]
    nothing = await bea.changes(start)
    assert (nothing["created"], nothing["changed"], nothing["hasMore"], nothing["newState"]) == ([], [], False, start)
    assert nothing["notice"]

    await ada.sends(bea.handle, subject="New 1")
    await bea.marks("markRead", ids[1])
    await bea.marks("archive", ids[0])
    await ada.sends("@all", subject="New 2")
    await ada.ask(RETRACT, id=ids[2])
    await bea.marks("markUnread", ids[1])

    told = await bea.changes(start)
    assert subjects(told["created"]) == ["New 1", "New 2"]
    assert [entry["message"]["id"] for entry in told["changed"]] == [ids[0], ids[2], ids[1]]
    archived, retracted, unread = told["changed"]
    assert archived["archivedAt"] is not None
    assert (retracted["message"]["retracted"], retracted["message"]["subject"]) == (True, "")
    assert unread["unread"] is True
    assert unread["readAt"] is not None
    assert told["hasMore"] is False
    assert told["newState"] == (await bea.inbox())["state"]
    assert (await bea.changes(told["newState"]))["changed"] == []

    # In pages: each entry once, and what is new stays new until the client has caught up.
    state = start
    pages: list[Data] = []
    while not pages or pages[-1]["hasMore"]:
        pages.append(await bea.changes(state, first=2))
        state = pages[-1]["newState"]
    assert [len(page["created"]) + len(page["changed"]) for page in pages] == [2, 2, 1]
    assert subjects([entry for page in pages for entry in page["created"]]) == ["New 1", "New 2"]
    assert state == told["newState"]
    # An entry that came and was read meanwhile is new to whoever was away, and changed for who knew it.
    new = told["created"][0]["message"]["id"]
    await bea.marks("markRead", new)
    assert new in [entry["message"]["id"] for entry in (await bea.changes(start))["created"]]
    assert new in [entry["message"]["id"] for entry in (await bea.changes(state))["changed"]]


async def test_a_client_with_nothing_begins_with_an_inbox_page(people: People) -> None:
    ada, bea = await people("ada", "bea")
    for number in range(5):
        await ada.sends(bea.handle, subject=f"{number}")
    first = await bea.inbox(first=2)
    known = {edge["node"]["uid"]: edge["node"]["message"]["subject"] for edge in first["edges"]}
    await ada.sends(bea.handle, subject="5")
    page = first
    while page["pageInfo"]["hasNextPage"]:
        page = await bea.inbox(first=2, after=page["pageInfo"]["endCursor"])
        known |= {edge["node"]["uid"]: edge["node"]["message"]["subject"] for edge in page["edges"]}
    told = await bea.changes(first["state"])
    known |= {entry["uid"]: entry["message"]["subject"] for entry in told["created"] + told["changed"]}
    assert known == {number + 1: str(number) for number in range(6)}


async def test_a_state_that_does_not_serve_has_an_answer_of_its_own(people: People, graph: Graph) -> None:
    """LESSONS 13: expired and ahead are told apart, as data."""
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle)
    state = (await bea.inbox())["state"]

    async def refused(person: Person, since: str) -> str:
        page = await person.changes(since)
        assert page["created"] is page["changed"] is page["hasMore"] is page["newState"] is None
        assert page["refusal"]["field"] == "since"
        code: str = page["refusal"]["code"]
        return code

    cursor = (await bea.inbox())["edges"][0]["cursor"]
    for malformed in ("", "nonsense", "\ud800", cursor, state[:-4]):
        assert await refused(bea, malformed) == "STATE_MALFORMED"
    assert await refused(ada, state) == "STATE_OF_ANOTHER_MAILBOX"
    assert await refused(bea, encode_state(bea.handle, State(500, 2))) == "STATE_AHEAD"
    assert await refused(bea, encode_state(bea.handle, State(1, 500))) == "STATE_AHEAD"

    async def work(tx: Transaction) -> None:
        await tx.run(RAISE_FLOOR, {"mailbox": bea.handle})

    await graph.database.write(work)
    assert (await bea.changes(state))["refusal"] is None, "nothing was deleted that this state does not know of"
    assert await refused(bea, encode_state(bea.handle, State(0, 1))) == "STATE_TOO_OLD"


async def test_pages_have_1_to_500_changes_and_mailboxes_their_owner(people: People, nobody: Person) -> None:
    ada, bea = await people("ada", "bea")
    state = (await ada.inbox())["state"]
    for first, code in ((0, "INVALID_INPUT"), (-1, "INVALID_INPUT"), (501, "LIMIT_EXCEEDED")):
        refused = await ada.refused(CHANGES, since=state, first=first)
        assert (refused["code"], refused["field"]) == (code, "first")
    assert (await ada.changes(state, first=500))["refusal"] is None
    assert (await ada.changes(state, first=None))["refusal"] is None
    assert (await ada.ask("{ limits { changesMax } }"))["limits"]["changesMax"] == 500
    for mailbox in (ada.handle, "@nobody-of-that-name"):
        refused = await bea.refused(CHANGES, since=state, mailbox=mailbox)
        assert (refused["code"], refused["field"]) == ("NOT_FOUND", "mailbox")
    assert (await nobody.refused(CHANGES, since=state))["code"] == "UNAUTHENTICATED"


async def test_whoever_may_read_a_mailbox_may_follow_it_and_leaves_no_trace(people: People, shown: Shown) -> None:
    """DESIGN §3.4, §3.10: another's look is not the owner's, and a right that ends, ends here too."""
    ada, bea, cy = await people("ada", "bea", "cy")
    await bea.ask(GRANT, agent=cy.handle, permission="CAN_READ_INBOX_OF")
    state = (await bea.inbox())["state"]
    id_ = (await ada.sends(bea.handle))["id"]
    told = await cy.changes(state, mailbox=bea.handle)
    assert [entry["message"]["id"] for entry in told["created"]] == [id_]
    await cy.ask("query($m: Address!) { inbox(mailbox: $m) { edges { node { uid } } } }", m=bea.handle)
    assert (await cy.changes(state))["refusal"]["code"] == "STATE_OF_ANOTHER_MAILBOX"
    await shown.finish()
    (edge,) = (await bea.ask("{ inbox { edges { node { seenAt } } } }"))["inbox"]["edges"]
    assert edge["node"]["seenAt"] is None
    assert (await cy.marks("markRead", id_))["results"][0]["refusal"]["code"] == "NOT_FOUND"

    await bea.ask(REVOKE, agent=cy.handle, permission="CAN_READ_INBOX_OF")
    assert (await cy.refused(CHANGES, since=state, mailbox=bea.handle))["code"] == "NOT_FOUND"
