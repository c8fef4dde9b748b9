"""Tasks over HTTP: sending one, moving it, its history, the lists of its parties (issue 4, DESIGN §4)."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from api.runtime import Runtime
from api.shown import Shown
from graph.bootstrap import Graph
from graph.identities import IdentityKind
from graph.rules.tags import HANDOVER_TAG
from tests.api.client import Data, Person
from tests.api.conftest import People
from tests.integration.test_tasks import At

TASK_FIELDS = """
fragment task on Task {
  id state assignee { handle } originator { handle } expiresAt createdAt updatedAt message { id subject bodyText }
  history { edges { node { seq from to by at note } } pageInfo { hasNextPage } notice }
}
"""
SEND_TASK = (
    """
mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id task { ...task } } duplicate refusal { code message field } }
}
"""
    + TASK_FIELDS
)
MOVE = (
    """
mutation Move($id: ID!, $to: TaskState!, $expected: TaskState, $note: String) {
  transitionTask(id: $id, to: $to, expected: $expected, note: $note) {
    task { ...task } refusal { code message field retryable }
  }
}
"""
    + TASK_FIELDS
)
LOOK = "query Look($id: ID!) { task(id: $id) { ...task } node(id: $id) { ... on Task { id state } } }" + TASK_FIELDS
LIST = """
query List($filter: TaskFilter, $first: Int = 20, $after: String) {
  tasks(filter: $filter, first: $first, after: $after) {
    edges { cursor node { id state message { subject } } } pageInfo { hasNextPage endCursor }
  }
}
"""
HISTORY = """
query History($id: ID!, $first: Int, $after: String) {
  task(id: $id) { history(first: $first, after: $after) {
    edges { node { seq to } } pageInfo { hasNextPage endCursor }
  } }
}
"""


async def gives(sender: Person, *to: str, **said: Any) -> Data:
    """Send a message with a task and return the task."""
    message = {"subject": "Trim the lamp", "bodyText": "Before dusk.", "to": list(to), "task": {}, **said}
    payload = (await sender.ask(SEND_TASK, input=message))["sendMessage"]
    assert payload["refusal"] is None, payload["refusal"]
    task: Data = payload["message"]["task"]
    return task


async def moves(who: Person, task: str, to: str, **said: Any) -> Data:
    """Move a task and return the payload, which holds the one or the other."""
    payload: Data = (await who.ask(MOVE, id=task, to=to, **said))["transitionTask"]
    assert (payload["task"] is None) is (payload["refusal"] is not None)
    return payload


async def code(who: Person, task: str, to: str, **said: Any) -> str:
    return str((await moves(who, task, to, **said))["refusal"]["code"])


async def test_a_task_goes_back_and_forth_and_keeps_its_history(people: People) -> None:
    ada, bea = await people("ada", "bea")
    expires = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    task = await gives(ada, bea.handle, task={"expiresAt": expires})
    assert task["state"] == "SUBMITTED"
    assert task["assignee"] == {"handle": bea.handle}
    assert task["originator"] == {"handle": ada.handle}
    assert datetime.fromisoformat(task["expiresAt"]) <= datetime.fromisoformat(expires)
    assert task["history"]["edges"] == []
    assert "data" in task["history"]["notice"]
    # The other party finds it by every path: its id, the message, the inbox, the list.
    for path in (await bea.ask(LOOK, id=task["id"])).values():
        assert (path["id"], path["state"]) == (task["id"], "SUBMITTED")
    inbox = await bea.ask("{ inbox { edges { node { message { id task { id state } } } } } }")
    (entry,) = inbox["inbox"]["edges"]
    assert entry["node"]["message"]["task"] == {"id": task["id"], "state": "SUBMITTED"}
    assert await listed(bea) == [task["id"]]

    assert (await moves(bea, task["id"], "WORKING", expected="SUBMITTED"))["task"]["state"] == "WORKING"
    assert (await moves(bea, task["id"], "INPUT_REQUIRED", note="Oil or gas?"))["task"]["state"] == "INPUT_REQUIRED"
    assert await code(bea, task["id"], "WORKING") == "FORBIDDEN"
    assert (await moves(ada, task["id"], "WORKING"))["refusal"] is None
    done = (await moves(bea, task["id"], "COMPLETED"))["task"]
    assert (await ada.ask(LOOK, id=task["id"]))["task"] == done
    assert [(e["node"]["from"], e["node"]["to"], e["node"]["by"]) for e in done["history"]["edges"]] == [
        ("SUBMITTED", "WORKING", bea.handle),
        ("WORKING", "INPUT_REQUIRED", bea.handle),
        ("INPUT_REQUIRED", "WORKING", ada.handle),
        ("WORKING", "COMPLETED", bea.handle),
    ]
    assert [e["node"]["note"] for e in done["history"]["edges"]] == [None, "Oil or gas?", None, None]
    assert done["updatedAt"] == done["history"]["edges"][-1]["node"]["at"]
    first = (await ada.ask(HISTORY, id=task["id"], first=3))["task"]["history"]
    assert [edge["node"]["seq"] for edge in first["edges"]] == [1, 2, 3]
    rest = (await ada.ask(HISTORY, id=task["id"], first=3, after=first["pageInfo"]["endCursor"]))["task"]["history"]
    assert [edge["node"] for edge in rest["edges"]] == [{"seq": 4, "to": "COMPLETED"}]
    assert (first["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"]) == (True, False)


async def listed(who: Person, **filter_: Any) -> list[str]:
    edges = (await who.ask(LIST, filter=filter_))["tasks"]["edges"]
    return [edge["node"]["id"] for edge in edges]


async def test_the_lists_are_paged_and_filtered(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    own = [(await gives(ada, bea.handle))["id"] for _ in range(3)]
    offered = (await gives(ada, bea.handle, cy.handle))["id"]
    await moves(bea, own[0], "WORKING")
    assert await listed(bea) == await listed(bea, role=None, states=None) == own[::-1]
    assert await listed(bea, states=["WORKING", "COMPLETED"]) == own[:1]
    assert await listed(ada, role="ORIGINATOR") == [offered, *own[::-1]]
    assert await listed(bea, role="CLAIMABLE") == await listed(cy, role="CLAIMABLE") == [offered]
    assert await listed(ada, role="CLAIMABLE") == await listed(cy) == []
    first = (await bea.ask(LIST, first=2))["tasks"]
    assert first["pageInfo"]["hasNextPage"]
    rest = (await bea.ask(LIST, first=2, after=first["pageInfo"]["endCursor"]))["tasks"]
    assert [edge["node"]["id"] for edge in first["edges"] + rest["edges"]] == own[::-1]
    assert not rest["pageInfo"]["hasNextPage"]
    assert (await cy.refused(LIST, after=first["pageInfo"]["endCursor"]))["code"] == "INVALID_INPUT"


async def test_of_twelve_claimants_of_a_broadcast_one_wins(people: People) -> None:
    ada, *many = await people("ada", *(f"worker{number}" for number in range(12)))
    task = (await gives(ada, "@all"))["id"]
    (late,) = await people("late")
    answers = await asyncio.gather(*(moves(who, task, "WORKING", expected="SUBMITTED") for who in many))
    ((winner, card),) = [(who, got["task"]) for who, got in zip(many, answers, strict=True) if got["task"]]
    assert card["assignee"] == {"handle": winner.handle}
    refused = [got["refusal"] for got in answers if got["refusal"]]
    assert Counter(one["code"] for one in refused) == {"STATE_MISMATCH": 11}
    assert all(f"{winner.handle} has it" in one["message"] for one in refused)
    seen = (await ada.ask(LOOK, id=task))["task"]
    assert [edge["node"]["by"] for edge in seen["history"]["edges"]] == [winner.handle]
    assert await code(late, task, "WORKING") == "NOT_FOUND"
    assert await code(next(who for who in many if who is not winner), task, "COMPLETED") == "FORBIDDEN"


async def test_a_stranger_finds_no_task_by_any_path(people: People, nobody: Person) -> None:
    """DESIGN §3.10: what is not his is as if it were not there."""
    ada, bea, eve = await people("ada", "bea", "eve")
    task = (await gives(ada, bea.handle))["id"]
    absent = "task_01h2xcejqtf2nbrexx3vqjhp41"
    assert await eve.ask(LOOK, id=task) == await eve.ask(LOOK, id=absent) == {"task": None, "node": None}
    assert (await eve.ask("query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=[task]))["nodes"] == [None]
    assert await listed(eve) == await listed(eve, role="ORIGINATOR") == await listed(eve, role="CLAIMABLE") == []
    hidden, missing = [(await moves(eve, id_, "CANCELED"))["refusal"] for id_ in (task, absent)]
    assert hidden["code"] == missing["code"] == "NOT_FOUND"
    assert hidden["message"].replace(task, "") == missing["message"].replace(absent, "")
    for query in (
        '{ task(id: "x") { id } }',
        "{ tasks { edges { cursor } } }",
        'mutation { transitionTask(id: "x", to: WORKING) { task { id } } }',
    ):
        assert (await nobody.refused(query))["code"] == "UNAUTHENTICATED"


async def test_what_cannot_be_meant_is_refused_by_its_field(people: People) -> None:
    ada, bea = await people("ada", "bea")
    said = {"subject": "Trim the lamp", "bodyText": "", "to": [bea.handle]}
    for extra, field, expected in (
        ({"task": {"expiresAt": "2001-01-01T00:00:00Z"}}, "task.expiresAt", "INVALID_INPUT"),
        ({"task": {"expiresAt": "2999-01-01T00:00:00"}}, "task.expiresAt", "INVALID_INPUT"),
        ({"task": {}, "to": ["@self"], "tags": [HANDOVER_TAG], "originSession": "s-1"}, "task", "RESERVED_TAG"),
    ):
        payload = (await ada.ask(SEND_TASK, input={**said, **extra}))["sendMessage"]
        assert payload["message"] is None
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (expected, field)
    assert (
        "2001-01-01"
        in (
            (await ada.ask(SEND_TASK, input={**said, "task": {"expiresAt": "2001-01-01T00:00:00Z"}}))["sendMessage"][
                "refusal"
            ]["message"]
        )
    )
    assert await bea.entries() == []
    assert (await ada.sends(bea.handle, task=None))["id"]
    most = (await ada.ask("{ limits { taskNoteCharacters } }"))["limits"]["taskNoteCharacters"]
    task = (await gives(ada, bea.handle))["id"]
    assert await code(bea, task, "WORKING", note="x" * (most + 1)) == "LIMIT_EXCEEDED"
    assert await code(bea, task, "WORKING", note="\x00") == "INVALID_INPUT"
    assert await code(bea, "msg_01h2xcejqtf2nbrexx3vqjhp41", "WORKING") == "INVALID_INPUT"
    assert await code(bea, task, "UNKNOWN") == "CONFLICT"
    assert (await moves(bea, task, "WORKING", note="x" * most))["refusal"] is None


async def test_a_human_need_not_be_waited_for(people: People) -> None:
    """ORIGIN §1.8: a human assignee leaves INPUT_REQUIRED himself, to WORKING or COMPLETED."""
    (ada,) = await people("ada")
    (hal,) = await people("hal", kind=IdentityKind.HUMAN)
    for leaves in ("WORKING", "COMPLETED"):
        task = (await gives(ada, hal.handle))["id"]
        await moves(hal, task, "WORKING")
        await moves(hal, task, "INPUT_REQUIRED")
        assert (await moves(hal, task, leaves))["task"]["state"] == leaves


async def test_the_server_ends_what_is_over_and_until_then_says_what_is_there(people: People, graph: Graph) -> None:
    ada, bea = await people("ada", "bea")
    expires = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    task = (await gives(ada, bea.handle, task={"expiresAt": expires}))["id"]
    moved_on = replace(graph, clock=At(graph.clock.now() + timedelta(hours=2)))
    async with Runtime(moved_on, Shown(moved_on)).sweeping(), asyncio.timeout(60):
        state = "SUBMITTED"
        while state == "SUBMITTED":
            state = (await bea.ask(LOOK, id=task))["task"]["state"]
    seen = (await bea.ask(LOOK, id=task))["task"]
    (event,) = seen["history"]["edges"]
    assert (seen["state"], event["node"]["to"], event["node"]["by"]) == ("EXPIRED", "EXPIRED", "SYSTEM")
    refused = (await moves(bea, task, "WORKING", expected="SUBMITTED"))["refusal"]
    assert refused["code"] == "STATE_MISMATCH"
    assert "EXPIRED" in refused["message"]
