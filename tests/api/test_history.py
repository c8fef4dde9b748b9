"""Sender history and retrospectives over HTTP, as the sender, the other party and a stranger read them (issue 5)."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.client import REMEMBER, RETRACT, WRITE_HANDOVER, Data, Person
from tests.api.conftest import People
from tests.support import Agents

HISTORY = """
query(
  $handle: Address, $since: DateTime, $until: DateTime, $bucket: HistoryBucket = DAY, $first: Int = 100, $after: String
) {
  senderHistory(handle: $handle, since: $since, until: $until, bucket: $bucket) {
    agent { handle } since until capped
    total { ...figures }
    parts { since until figures { ...figures } }
    messages(first: $first, after: $after) {
      edges { node { id } } pageInfo { hasNextPage endCursor } totalCount totalCapped jsonLines
    }
  }
}
fragment figures on HistoryFigures {
  sent replies unanswered threadsStarted threadsClosed medianResponseSeconds
  recipients { ...tally } tags { ...tally } sessions { ...tally } memories { ...tally }
}
fragment tally on Tally { entries { name count } others }
"""
RETROSPECTIVE = """
query($session: ID, $handle: Address, $first: Int = 100, $after: String, $tags: [String!] = ["decision"]) {
  retrospective(session: $session, handle: $handle, tags: $tags) {
    since until capped counts { kind count }
    items(first: $first, after: $after) {
      edges { node { kind message { id } ticket { key } memory { id } } } pageInfo { hasNextPage endCursor } totalCount
    }
  }
}
"""
SUMS = ("sent", "replies", "unanswered", "threadsStarted", "threadsClosed")
TALLIES = ("recipients", "tags", "sessions", "memories")


async def history(person: Person, **arguments: object) -> Data:
    found: Data = (await person.ask(HISTORY, **arguments))["senderHistory"]
    return found


async def looked_back(person: Person, **arguments: object) -> Data | None:
    found: Data | None = (await person.ask(RETROSPECTIVE, **arguments))["retrospective"]
    return found


def told(found: Data | None) -> list[tuple[str, str]]:
    assert found is not None
    nodes = [edge["node"] for edge in found["items"]["edges"]]
    return [
        (
            node["kind"],
            node["ticket"]["key"]
            if node["ticket"]
            else node["memory"]["id"]
            if node["memory"]
            else node["message"]["id"],
        )
        for node in nodes
    ]


def tally(figures: Data, name: str) -> dict[str, int]:
    return {entry["name"]: entry["count"] for entry in figures[name]["entries"]}


async def test_a_senders_history(people: People, agents: Agents) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    long_ago = agents.ago(timedelta(days=3))
    first = await long_ago.send(ada.handle, bea.handle, expects_reply=True, tags=("tide",), origin_session="s-1")
    second = await long_ago.send(ada.handle, cy.handle, cc=(bea.handle,), expects_reply=True, tags=("tide", "wind"))
    await agents.ago(timedelta(days=2)).reply(bea.handle, first)
    closing = (await ada.sends(inReplyTo=first))["id"]
    note = (await ada.sends("@self", expectsReply=True))["id"]

    mine = await history(ada)
    total = mine["total"]
    assert (mine["agent"]["handle"], mine["capped"]) == (ada.handle, False)
    assert {name: total[name] for name in SUMS} == {
        "sent": 4,
        "replies": 1,
        # The note asks nobody; cy owes an answer.
        "unanswered": 1,
        "threadsStarted": 3,
        # With the answer to bea, which expects none.
        "threadsClosed": 1,
    }
    assert total["medianResponseSeconds"] == pytest.approx(86_400, abs=3_600)
    assert tally(total, "recipients") == {bea.handle: 3, cy.handle: 1, ada.handle: 1}
    assert tally(total, "tags") == {"tide": 2, "wind": 1}
    assert list(tally(total, "sessions").values()) == [1]
    assert [edge["node"]["id"] for edge in mine["messages"]["edges"]] == [first, second, closing, note]
    assert (mine["messages"]["totalCount"], mine["messages"]["totalCapped"]) == (4, False)

    # The other party sees what came to her, and nothing else of it.
    hers = await history(bea, handle=ada.handle)
    assert [edge["node"]["id"] for edge in hers["messages"]["edges"]] == [first, second, closing]
    assert hers["total"]["sent"] == 3
    his = await history(cy, handle=ada.handle)
    assert (his["total"]["sent"], his["total"]["replies"], tally(his["total"], "tags")) == (
        1,
        0,
        {"tide": 1, "wind": 1},
    )


async def test_parts_add_up_and_tile_the_period(people: People, agents: Agents) -> None:
    ada, bea = await people("ada", "bea")
    for days in (1, 3, 3, 9, 20):
        await agents.ago(timedelta(days=days)).send(ada.handle, bea.handle, tags=("tide",), expects_reply=days == 3)
    for bucket in ("DAY", "WEEK", "MONTH"):
        found = await history(bea, handle=ada.handle, bucket=bucket)
        parts = [part["figures"] for part in found["parts"]]
        for name in SUMS:
            assert sum(part[name] for part in parts) == found["total"][name]
        for name in TALLIES:
            added: dict[str, int] = {}
            for part in parts:
                for entry in part[name]["entries"]:
                    added[entry["name"]] = added.get(entry["name"], 0) + entry["count"]
            assert added == tally(found["total"], name)
        assert [part["until"] for part in found["parts"][:-1]] == [part["since"] for part in found["parts"][1:]]
        assert (found["parts"][0]["since"], found["parts"][-1]["until"]) == (found["since"], found["until"])
        assert found["total"]["unanswered"] == 2


async def test_the_list_is_paged_and_written_out(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await bea.sends(cy.handle, ada.handle, subject='"Ways"')
    hidden = await bea.sends(cy.handle, subject="Not for ada")
    answer = await cy.sends(ada.handle, inReplyTo=hidden["id"], subject="Re", bodyText="line\nline\u2028line")
    gone = await cy.sends(ada.handle, subject="A secret subject", bodyText="a secret body", tags=["tide"])
    last = await cy.sends(ada.handle, inReplyTo=root["id"])
    await cy.ask(RETRACT, id=gone["id"])
    lines, after = "", None
    for more in (True, True, False):
        page = (await history(ada, handle=cy.handle, first=1, after=after))["messages"]
        lines += page["jsonLines"]
        after = page["pageInfo"]["endCursor"]
        assert page["pageInfo"]["hasNextPage"] is more
    assert "secret" not in lines
    said = [json.loads(line) for line in lines.splitlines()]
    assert [one["id"] for one in said] == [answer["id"], gone["id"], last["id"]]
    assert [one["retracted"] for one in said] == [False, True, False]
    assert (said[0]["bodyText"], said[1]["bodyText"], said[1]["subject"]) == ("line\nline\u2028line", "", "")
    assert (said[0]["from"], said[0]["to"], said[1]["tags"]) == (cy.handle, [ada.handle], ["tide"])
    # What it answers is not ada's to see.
    assert [one.get("inReplyTo") for one in said] == [None, None, root["id"]]


async def test_what_cannot_be_a_history_is_refused(people: People, nobody: Person) -> None:
    (ada,) = await people("ada")
    now = datetime.now(UTC)
    for arguments, code, field in (
        ({"handle": "@nobody-here"}, "NOT_FOUND", "handle"),
        ({"handle": "@all"}, "INVALID_INPUT", "handle"),
        ({"since": now.isoformat(), "until": (now - timedelta(days=1)).isoformat()}, "INVALID_INPUT", "until"),
        ({"since": "2020-01-01T00:00:00Z", "bucket": "DAY"}, "LIMIT_EXCEEDED", "bucket"),
        ({"after": "nonsense"}, "INVALID_INPUT", "after"),
    ):
        refused = await ada.refused(HISTORY, **arguments)
        assert (refused["code"], refused.get("field")) == (code, field), arguments
    assert (await nobody.refused(HISTORY))["code"] == "UNAUTHENTICATED"


async def test_few_histories_fit_into_one_request(people: People) -> None:
    """Each may read 10,000 messages; what a request may cost is known before it reads any."""
    (ada,) = await people("ada")
    many = " ".join(f"of{number}: senderHistory {{ capped }}" for number in range(10))
    refused = await ada.refused(f"{{ {many} }}")
    assert (refused["code"], refused["limit"]) == ("LIMIT_EXCEEDED", "maxCost")
    few = " ".join(f"of{number}: senderHistory {{ capped }}" for number in range(3))
    assert len(await ada.ask(f"{{ {few} }}")) == 3


async def test_a_session_looked_back_at(people: People) -> None:
    """Issue 5: messages, handovers, decisions, tickets and memories of a session, in order."""
    ada, bea, cy = await people("ada", "bea", "cy")
    opened = (await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "Begin."}))["writeHandover"][
        "handover"
    ]
    handover = opened["message"]["id"]
    session = (await ada.ask("{ handovers { edges { node { session { id } } } } }"))["handovers"]["edges"][0]["node"]
    id_ = session["session"]["id"]
    kept = (await ada.ask(REMEMBER, input={"text": "Tides turn.", "session": "s-1"}))["remember"]["memory"]["id"]
    plain = await ada.sends(bea.handle, originSession="s-1", tickets=["neo#2", "neo#1"], memories=[kept])
    decided = await ada.sends(bea.handle, originSession="s-1", tickets=["neo#1"], tags=["decision"])

    whole = [
        ("HANDOVER", handover),
        ("MEMORY", kept),
        ("MESSAGE", plain["id"]),
        ("TICKET", "neo#1"),
        ("TICKET", "neo#2"),
        ("DECISION", decided["id"]),
    ]
    # By either id the session has, of which the harness's is its agent's alone.
    mine = await looked_back(ada, session=id_)
    assert told(mine) == told(await looked_back(ada, session="s-1")) == whole
    assert mine is not None
    assert {row["kind"]: row["count"] for row in mine["counts"]} == {
        "MESSAGE": 1,
        "HANDOVER": 1,
        "DECISION": 1,
        "TICKET": 2,
        "MEMORY": 1,
    }
    assert await looked_back(bea, session="s-1") is None
    hers = await looked_back(bea, session=id_)
    assert told(hers) == [whole[2], whole[3], whole[4], ("MEMORY", kept), whole[5]]
    assert await looked_back(cy, session=id_) is None
    # In pages of two, with another word for a decision.
    paged: list[tuple[str, str]] = []
    after, more = None, True
    while more:
        page = await looked_back(ada, session=id_, first=2, after=after, tags=["choice"])
        paged += told(page)
        assert page is not None
        after, more = page["items"]["pageInfo"]["endCursor"], page["items"]["pageInfo"]["hasNextPage"]
    assert paged == [("MESSAGE" if kind == "DECISION" else kind, target) for kind, target in whole]


async def test_an_agent_looked_back_at(people: People) -> None:
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle, tags=["decision"], tickets=["neo#1"])
    note = await ada.sends("@self")
    assert told(await looked_back(ada)) == [("DECISION", sent["id"]), ("TICKET", "neo#1"), ("MESSAGE", note["id"])]
    assert told(await looked_back(bea, handle=ada.handle)) == [("DECISION", sent["id"]), ("TICKET", "neo#1")]
    refused = await ada.refused(RETROSPECTIVE, handle=ada.handle, session="s-1")
    assert (refused["code"], refused["field"]) == ("INVALID_INPUT", "handle")
