"""Marking through the API (issue: lifecycle; DESIGN §3.4; LESSONS 2 to 5, 18; ORIGIN 1.6, 1.7)."""

import json

import pytest

from api.shown import Shown
from api.states import encode_state
from graph.rules.states import State
from tests.api.client import Data, Person
from tests.api.conftest import People

ABSENT = "msg_01h2xcejqtf2nbrexx3vqjhp41"
MARKS = ("markRead", "markUnread", "archive", "unarchive")


def codes(payload: Data) -> list[str | None]:
    return [result["refusal"] and result["refusal"]["code"] for result in payload["results"]]


def counts(payload: Data) -> tuple[int, int, int]:
    """Return how many entries the mark was about, how many it changed, and how many it left as never shown."""
    return payload["matchedCount"], payload["changedCount"], payload["withheldUnseenCount"]


async def unread_of(reader: Person) -> list[str]:
    return [entry["message"]["id"] for entry in await reader.entries(filter={"unread": True})]


async def test_an_entry_is_archived_and_comes_back_as_it_was(people: People) -> None:
    """LESSONS 18, 3: archiving destroys nothing, is one's own affair, and no count is of what is not listed."""
    ada, bea, cy = await people("ada", "bea", "cy")
    kept = (await ada.sends(bea.handle, cc=[cy.handle], tags=["tide"]))["id"]
    gone = (await ada.sends("@all", tags=["tide"]))["id"]

    payload = await bea.marks("archive", gone, ABSENT, "nonsense", gone)
    assert codes(payload) == [None, "NOT_FOUND", "NOT_FOUND", None]
    assert counts(payload) == (1, 1, 0)
    archived_at = payload["results"][0]["delivery"]["archivedAt"]
    assert archived_at is not None
    for chosen in ({}, {"unread": True}, {"from": ada.handle}, {"tags": ["tide"]}):
        assert [e["message"]["id"] for e in await bea.entries(filter=chosen)] == [kept], chosen
        page = await bea.inbox(filter=chosen)
        assert (page["totalCount"], page["unreadCount"]) == (1, 1)
        everything = await bea.entries(filter={**chosen, "includeArchived": True})
        assert [e["message"]["id"] for e in everything] == [gone, kept], chosen
    assert len(await cy.entries()) == 2

    # Again changes nothing; read in the archive moves no count; back, it is as it was, and its state is told.
    again = await bea.marks("archive", gone)
    assert (again["changedCount"], again["state"]) == (0, payload["state"])
    assert again["results"][0]["delivery"]["archivedAt"] == archived_at
    await bea.marks("markRead", gone)
    assert (await bea.inbox())["unreadCount"] == 1
    await bea.marks("markUnread", gone)
    assert (await bea.inbox())["unreadCount"] == 1
    back = await bea.marks("unarchive", gone)
    assert back["results"][0]["delivery"]["archivedAt"] is None
    assert await unread_of(bea) == [gone, kept]
    assert (await bea.inbox(filter={"tags": ["tide"], "unread": True}))["totalCount"] == 2
    assert (await bea.inbox())["unreadCount"] == 2


async def test_the_first_reading_stays_known(people: People) -> None:
    """DESIGN §3.4: the first readAt stays, though the entry is unread again and read once more."""
    ada, bea = await people("ada", "bea")
    id_ = (await ada.sends(bea.handle))["id"]
    first = (await bea.marks("markRead", id_))["results"][0]["delivery"]["readAt"]
    unread = (await bea.marks("markUnread", id_))["results"][0]["delivery"]
    assert (unread["unread"], unread["readAt"]) == (True, first)
    assert (await bea.inbox())["unreadCount"] == 1
    assert (await bea.marks("markRead", id_))["results"][0]["delivery"]["readAt"] == first


async def test_up_to_a_state_takes_only_what_was_shown(people: People, shown: Shown) -> None:
    """LESSONS 4: a mark for everything swept hundreds of messages that nobody had seen."""
    ada, bea = await people("ada", "bea")
    older = [(await ada.sends(bea.handle))["id"] for _ in range(3)]
    page = await bea.inbox(first=2)
    assert [edge["node"]["message"]["id"] for edge in page["edges"]] == [older[2], older[1]]
    later = (await ada.sends("@all"))["id"]
    await bea.inbox(first=1)
    await shown.flush(bea.handle)

    marked = await bea.marks("markRead", upTo=page["state"])
    assert [result["id"] for result in marked["results"]] == older[1:]
    assert all(not result["delivery"]["unread"] for result in marked["results"])
    assert counts(marked) == (3, 2, 1)
    assert await unread_of(bea) == [later, older[0]]

    assert counts(await bea.marks("markRead", upTo=page["state"], includeUnseen=True)) == (1, 1, 0)
    assert await unread_of(bea) == [later]
    # Listing it showed the oldest too; what changed since the state is left alone, whatever it was.
    assert counts(await bea.marks("archive", upTo=page["state"])) == (0, 0, 0)
    now = await bea.inbox()
    assert counts(await bea.marks("archive", upTo=now["state"])) == (4, 4, 0)
    assert (await bea.inbox())["edges"] == []
    now = await bea.inbox(filter={"includeArchived": True})
    assert counts(await bea.marks("markUnread", upTo=now["state"])) == (0, 0, 0)
    assert counts(await bea.marks("unarchive", upTo=now["state"])) == (4, 4, 0)
    assert await unread_of(bea) == [later]
    now = await bea.inbox()
    assert counts(await bea.marks("markUnread", upTo=now["state"])) == (3, 3, 0)
    assert (await bea.inbox())["unreadCount"] == 4


async def test_what_was_just_shown_counts_though_it_is_not_written_yet(people: People) -> None:
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle)
    page = await bea.inbox()
    assert (await bea.marks("markRead", upTo=page["state"]))["changedCount"] == 1


@pytest.mark.parametrize("how", MARKS)
async def test_a_mark_happens_in_the_state_that_was_named_or_not_at_all(people: People, how: str) -> None:
    ada, bea = await people("ada", "bea")
    id_ = (await ada.sends(bea.handle))["id"]
    state = (await bea.inbox())["state"]
    await bea.marks({"markUnread": "markRead", "unarchive": "archive"}.get(how, "markUnread"), id_)
    state = (await bea.inbox())["state"]
    await ada.sends(bea.handle)
    before = await bea.entries(filter={"includeArchived": True})
    for said in ({"ids": [id_]}, {"upTo": state, "includeUnseen": True}):
        refused = await bea.marks(how, ifInState=state, **said)
        assert (refused["refusal"]["code"], refused["refusal"]["field"]) == ("STATE_MISMATCH", "ifInState")
        assert refused["results"] is refused["state"] is refused["changedCount"] is None
    assert await bea.entries(filter={"includeArchived": True}) == before
    current = (await bea.inbox())["state"]
    assert (await bea.marks(how, id_, ifInState=current))["changedCount"] == 1


@pytest.mark.parametrize("how", MARKS)
async def test_states_that_do_not_serve_and_unclear_requests_are_refused(people: People, how: str) -> None:
    ada, bea = await people("ada", "bea")
    sent = (await ada.sends(bea.handle))["id"]
    own, foreign = (await bea.inbox())["state"], (await ada.inbox())["state"]
    ahead = encode_state(bea.handle, State(1000, 1000))
    cases: list[tuple[Data, str, str]] = [
        ({}, "INVALID_INPUT", "ids"),
        ({"ids": []}, "INVALID_INPUT", "ids"),
        ({"ids": [sent], "upTo": own}, "INVALID_INPUT", "ids"),
        ({"ids": [sent], "includeUnseen": True}, "INVALID_INPUT", "includeUnseen"),
        ({"ids": [sent] * 501}, "LIMIT_EXCEEDED", "ids"),
        ({"upTo": ""}, "STATE_MALFORMED", "upTo"),
        ({"upTo": "nonsense"}, "STATE_MALFORMED", "upTo"),
        ({"upTo": foreign}, "STATE_OF_ANOTHER_MAILBOX", "upTo"),
        ({"upTo": ahead}, "STATE_AHEAD", "upTo"),
        ({"ids": [sent], "ifInState": "x"}, "STATE_MALFORMED", "ifInState"),
        ({"ids": [sent], "ifInState": foreign}, "STATE_OF_ANOTHER_MAILBOX", "ifInState"),
        ({"ids": [sent], "ifInState": ahead}, "STATE_MISMATCH", "ifInState"),
    ]
    for said, code, field in cases:
        payload = await bea.marks(how, **said)
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (code, field), said
        assert payload["results"] is payload["state"] is payload["matchedCount"] is None
    assert (await bea.inbox())["state"] == own


async def test_nobody_marks_what_is_not_in_his_mailbox(people: People, nobody: Person) -> None:
    """ORIGIN 1.6: only recipients mark; the sender's own copy is none."""
    ada, bea, eve = await people("ada", "bea", "eve")
    id_ = (await ada.sends(bea.handle))["id"]
    before = await bea.entries()
    for how in MARKS:
        for who in (ada, eve):
            assert codes(await who.marks(how, id_)) == ["NOT_FOUND"]
        unbound = await nobody.refused(f'mutation {{ {how}(ids: ["{id_}"]) {{ state }} }}')
        assert unbound["code"] == "UNAUTHENTICATED"
    assert await bea.entries() == before


async def test_a_list_of_ids_that_came_as_one_text_is_understood(people: People) -> None:
    """LESSONS 5: arrays arrived as JSON strings from some clients."""
    ada, bea = await people("ada", "bea")
    ids = [(await ada.sends(bea.handle))["id"] for _ in range(2)]
    payload = await bea.marks("markRead", json.dumps(ids))
    assert [result["id"] for result in payload["results"]] == ids
    assert payload["changedCount"] == 2
    for odd in ("[", "[1]", '{"a": 1}', "[" * 10_000):
        assert codes(await bea.marks("markRead", odd)) == ["NOT_FOUND"]


async def test_archived_handovers_are_still_handed_over(people: People) -> None:
    """Archiving is no accepting: the stack is whole, and all of them are listed in their order."""
    (ada,) = await people("ada")
    write = 'mutation { writeHandover(input: { session: "s-1", bodyText: "Go on." }) { handover { message { id } } } }'
    ids = [(await ada.ask(write))["writeHandover"]["handover"]["message"]["id"] for _ in range(3)]
    await ada.marks("archive", ids[0], ids[2])
    every = "{ handovers(filter: { pending: %s }) { edges { node { message { id } } } } }"
    for pending in ("true", "null"):
        edges = (await ada.ask(every % pending))["handovers"]["edges"]
        assert [edge["node"]["message"]["id"] for edge in edges] == ids
    accept = 'mutation { acceptHandovers(input: { session: "s-2" }) { accepted { message { id } } } }'
    taken = (await ada.ask(accept))["acceptHandovers"]["accepted"]
    assert [one["message"]["id"] for one in taken] == ids
    assert (await ada.inbox())["unreadCount"] == 0
    assert [e["message"]["id"] for e in await ada.entries()] == [ids[1]]
    await ada.marks("unarchive", ids[0])
    assert (await ada.inbox())["unreadCount"] == 0
