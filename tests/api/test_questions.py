"""The seven questions of analysts and agents, each by the one query of docs/questions.md (issue 5, point 5)."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.api.client import ACCEPT, REMEMBER, RETRACT, WRITE_HANDOVER, Data, Person
from tests.api.conftest import People
from tests.support import Agents

PAGE = Path(__file__).parents[2] / "docs" / "questions.md"
DEFINE = """
mutation($input: DefineConceptInput!) { defineConcept(input: $input) { concept { name } refusal { code message } } }
"""
TAG = "mutation($ids: [ID!]!, $add: [String!]) { tag(ids: $ids, add: $add) { results { id refusal { code } } } }"
SEND = """
mutation($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id task { id } } refusal { code message } }
}
"""
QUERIES = {
    found[1]: found[0]
    for found in re.finditer(r"(?<=```graphql\n)query (\w+).*?(?=```)", PAGE.read_text(encoding="utf-8"), re.DOTALL)
}


async def asked(person: Person, query: str, **said: object) -> Any:
    """Ask a documented query and return what its one field says."""
    (found,) = (await person.ask(QUERIES[query], **said)).values()
    return found


def nodes(connection: Data) -> list[Data]:
    return [edge["node"] for edge in connection["edges"]]


def items(found: Data) -> list[tuple[str, str]]:
    """Return each item of a retrospective as its kind and what it is."""
    return [
        (
            one["kind"],
            one["ticket"]["key"] if one["ticket"] else one["memory"]["text"] if one["memory"] else one["message"]["id"],
        )
        for one in nodes(found["items"])
    ]


def test_there_are_seven_questions_and_a_query_for_each() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == len(re.findall(r"^```graphql", text, re.MULTILINE))
    assert len(QUERIES) == 7


async def test_an_agents_open_threads(people: People, analyst: Person) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    waiting = await ada.sends(bea.handle, cy.handle, subject="Who has the oil?", expectsReply=True)
    settled = await bea.sends(ada.handle, subject="Is it lit?", expectsReply=True)
    await ada.sends(inReplyTo=settled["id"])
    await ada.sends(bea.handle, subject="Fog")
    await bea.sends(cy.handle, subject="Not ada's", expectsReply=True)
    owed = await cy.sends(ada.handle, subject="And the wick?", expectsReply=True)

    answer = await asked(ada, "OpenThreads")
    assert [
        (one["subject"], one["messageCount"], {by["agent"]["handle"] for by in one["awaitingReplyFrom"]})
        for one in nodes(answer)
    ] == [("And the wick?", 1, {ada.handle}), ("Who has the oil?", 1, {bea.handle, cy.handle})]
    assert not answer["pageInfo"]["hasNextPage"]
    # An analyst sees the same of her, and an agent what both take part in.
    threads = [owed["thread"]["id"], waiting["thread"]["id"]]
    assert [one["id"] for one in nodes(await asked(analyst, "OpenThreads", agent=ada.handle))] == threads
    assert [one["id"] for one in nodes(await asked(bea, "OpenThreads", agent=ada.handle))] == threads[1:]
    await ada.ask(RETRACT, id=waiting["id"])
    await ada.sends(inReplyTo=owed["id"])
    assert nodes(await asked(ada, "OpenThreads")) == []


async def test_who_has_not_answered_me(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await bea.sends(cy.handle, cc=[ada.handle], subject="The lamp", expectsReply=True)
    mine = await ada.sends(bea.handle, cy.handle, inReplyTo=root["id"], subject="When?", expectsReply=True)
    await bea.sends(inReplyTo=mine["id"])
    await bea.sends(ada.handle, subject="Hers to ask", expectsReply=True)
    done = await ada.sends(cy.handle, subject="Done?", expectsReply=True)
    await cy.sends(inReplyTo=done["id"])

    (thread,) = nodes(await asked(ada, "WhoHasNotAnsweredMe"))
    # Cy owes bea an older answer in the same thread, which is not ada's to wait for.
    (awaited,) = thread["awaitingReplyFrom"]
    assert (thread["id"], awaited["agent"]["handle"]) == (root["thread"]["id"], cy.handle)
    assert awaited["message"] == {"id": mine["id"], "subject": "When?"}
    assert [one["subject"] for one in nodes(await asked(bea, "WhoHasNotAnsweredMe"))] == ["Hers to ask", "The lamp"]
    assert nodes(await asked(cy, "WhoHasNotAnsweredMe")) == []


async def test_how_a_decision_came_about(people: People, analyst: Person) -> None:
    ada, bea = await people("ada", "bea")
    request = await bea.sends(ada.handle, subject="Parse page 89")
    doubt = await ada.sends(inReplyTo=request["id"], subject="By which rule?")
    rule = await bea.sends(inReplyTo=doubt["id"], subject="By the old one")
    decision = await ada.sends(inReplyTo=rule["id"], subject="So be it", originSession="s-1", tags=["decision"])
    written = await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "The old rule holds."})
    handover = written["writeHandover"]["handover"]["message"]["id"]

    first = "query($id: ID!) { message(id: $id) { thread { roots(first: 1) { edges { node { id } } } } } }"
    thread = (await ada.ask(first, id=decision["id"]))["message"]["thread"]
    assert [one["id"] for one in nodes(thread["roots"])] == [request["id"]]
    for reader in (ada, analyst):
        answer = await asked(reader, "HowItCameAbout", handover=handover, request=request["id"])
        assert (answer["hops"], answer["stopped"]) == (5, False)
        (path,) = answer["paths"]
        before, session, *after = path["nodes"]
        assert (before["id"], session["externalId"]) == (handover, "s-1")
        assert [one["id"] for one in after] == [decision["id"], rule["id"], doubt["id"], request["id"]]
        assert after[0]["tags"] == ["decision"]
        assert [edge["type"] for edge in path["edges"]] == ["ORIGINATES_IN"] * 2 + ["IN_REPLY_TO"] * 3
    # The handover is ada's alone.
    assert await asked(bea, "HowItCameAbout", handover=handover, request=request["id"]) is None


async def test_what_two_agents_said_of_a_ticket(people: People, analyst: Person) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    ticket = f"lamp-{ada.handle[-6:]}#7"
    opened = await ada.sends(bea.handle, subject="It is dark", tickets=[ticket])
    answer = await bea.sends(inReplyTo=opened["id"], subject="I see", bodyText="Oil is coming.")
    gone = await ada.sends(inReplyTo=answer["id"], subject="A secret", bodyText="a secret body")
    await ada.ask(RETRACT, id=gone["id"])
    aside = await ada.sends(cy.handle, inReplyTo=opened["id"], subject="To cy of it", tickets=[ticket])
    await ada.sends(bea.handle, subject="Another matter", tickets=[f"lamp-{ada.handle[-6:]}#8"])
    later = await bea.sends(ada.handle, cy.handle, subject="Fog again")
    # Only cy is told that this is about the ticket too.
    await ada.sends(cy.handle, inReplyTo=later["id"], subject="As before", tickets=[ticket])

    said = {"between": [ada.handle, bea.handle], "ticket": f"ticket:{ticket}"}
    whole = [opened["id"], answer["id"], gone["id"], later["id"]]
    for reader in (ada, analyst):
        found = await asked(reader, "SaidOfTicket", **said)
        assert [one["id"] for one in nodes(found)] == whole
        assert (found["totalCount"], found["pageInfo"]["hasNextPage"]) == (4, False)
        assert nodes(found)[1]["bodyText"] == "Oil is coming."
        assert "secret" not in str(found)
    # Bea does not see that the fog is about the ticket, and cy sees of it what came to him.
    assert [one["id"] for one in nodes(await asked(bea, "SaidOfTicket", **said))] == whole[:3]
    assert [one["id"] for one in nodes(await asked(cy, "SaidOfTicket", **said))] == [later["id"]]
    with_cy = {**said, "between": [ada.handle, cy.handle]}
    assert aside["id"] in [one["id"] for one in nodes(await asked(cy, "SaidOfTicket", **with_cy))]
    assert nodes(await asked(bea, "SaidOfTicket", **{**said, "ticket": "never#1"})) == []


async def test_what_was_said_of_a_ticket_comes_in_pages(people: People) -> None:
    ada, bea = await people("ada", "bea")
    ticket = f"lamp-{ada.handle[-6:]}#7"
    sent = [(await ada.sends(bea.handle, tickets=[ticket]))["id"] for _ in range(3)]
    sent += [(await bea.sends(inReplyTo=sent[0]))["id"] for _ in range(2)]
    query = QUERIES["SaidOfTicket"].replace("first: 50", "first: 2")
    said = {"between": [ada.handle, bea.handle], "ticket": ticket}
    found: list[str] = []
    after, more = None, True
    while more:
        page = (await bea.ask(query, **said, after=after))["correspondence"]
        found += [one["id"] for one in nodes(page)]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert found == sent
    assert (await bea.refused(query, **said, after="x"))["code"] == "INVALID_INPUT"
    refused = await bea.refused(query, between=said["between"], ticket="#7")
    assert (refused["code"], refused["field"]) == ("INVALID_INPUT", "ticket")


async def test_a_sessions_whole_footprint(people: People, analyst: Person) -> None:
    ada, bea = await people("ada", "bea")
    began = await ada.ask(WRITE_HANDOVER, input={"session": "s-0", "bodyText": "Begin."})
    before = began["writeHandover"]["handover"]["message"]["id"]
    await ada.ask(ACCEPT, input={"session": "s-1"})
    await ada.ask(REMEMBER, input={"text": "Tides turn.", "session": "s-1"})
    message = {"to": [bea.handle], "subject": "Trim it", "bodyText": "", "originSession": "s-1", "tickets": ["neo#1"]}
    task = (await ada.ask(SEND, input={**message, "task": {}}))["sendMessage"]["message"]
    decided = await ada.sends(bea.handle, relatedSessions=["s-1"], tags=["decision"])
    await ada.sends(bea.handle, originSession="s-2")
    ended = await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "Go on."})
    handover = ended["writeHandover"]["handover"]

    whole = [
        ("HANDOVER", before),
        ("MEMORY", "Tides turn."),
        ("MESSAGE", task["id"]),
        ("TICKET", "neo#1"),
        ("DECISION", decided["id"]),
        ("HANDOVER", handover["message"]["id"]),
    ]
    mine = await asked(ada, "Footprint", session="s-1")
    assert items(mine) == whole
    assert nodes(mine["items"])[2]["message"]["task"] == {"id": task["task"]["id"], "state": "SUBMITTED"}
    assert {row["kind"]: row["count"] for row in mine["counts"]} == {
        "MESSAGE": 1,
        "HANDOVER": 2,
        "DECISION": 1,
        "TICKET": 1,
        "MEMORY": 1,
    }
    own = await ada.ask("query($id: ID!) { message(id: $id) { originSession { id } } }", id=handover["message"]["id"])
    id_ = own["message"]["originSession"]["id"]
    assert items(await asked(analyst, "Footprint", session=id_)) == whole
    assert items(await asked(bea, "Footprint", session=id_)) == whole[2:5]


async def test_a_concepts_history(people: People, agents: Agents, operator: Person, analyst: Person) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    lamp, alias = f"lamp-{ada.handle[-6:]}", f"light-{ada.handle[-6:]}"
    old = await agents.ago(timedelta(days=200)).send(ada.handle, bea.handle, tags=(alias,))
    defined = await operator.ask(DEFINE, input={"name": lamp, "aliases": [alias]})
    assert defined["defineConcept"]["refusal"] is None
    await ada.ask(REMEMBER, input={"text": "Oil burns.", "tags": [lamp]})
    new = await ada.sends(bea.handle, tags=[alias], tickets=["neo#1"])
    other = await ada.sends(bea.handle, cy.handle, bodyText=f"Not tagged with {lamp}.")
    await bea.ask(TAG, ids=[other["id"]], add=[lamp])
    await bea.ask("mutation($ids: [ID!]) { archive(ids: $ids) { refusal { code } } }", ids=[new["id"]])

    whole = [("MESSAGE", old), ("MEMORY", "Oil burns."), ("MESSAGE", new["id"]), ("TICKET", "neo#1")]
    for reader in (ada, analyst):
        for name in (lamp, f"#{alias}"):
            found = await asked(reader, "ConceptHistory", concept=name)
            assert (items(found), found["capped"]) == (whole, False)
    # Her own tags count for bea, and the archive too; ada's memory is not hers to see.
    hers = [("MESSAGE", old), ("MESSAGE", new["id"]), ("TICKET", "neo#1"), ("MESSAGE", other["id"])]
    assert items(await asked(bea, "ConceptHistory", concept=lamp)) == hers
    since = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    assert items(await asked(bea, "ConceptHistory", concept=lamp, since=since)) == hers[1:]
    # Everybody sees what an operator registered, and cy nothing with it; what nobody tagged is not there.
    assert items(await asked(cy, "ConceptHistory", concept=lamp)) == []
    assert await asked(cy, "ConceptHistory", concept=f"never-{lamp}") is None


async def test_a_senders_quarter(people: People, agents: Agents, analyst: Person) -> None:
    ada, bea = await people("ada", "bea")
    now = datetime.now(UTC)
    # A quarter of thirteen weeks that has just ended, and mail before, in and after it.
    until = now - timedelta(days=1)
    since = until - timedelta(weeks=13)
    await agents.ago(timedelta(days=120)).send(ada.handle, bea.handle)
    first = await agents.ago(timedelta(days=60)).send(ada.handle, bea.handle, expects_reply=True, tags=("tide",))
    await agents.ago(timedelta(days=59)).reply(bea.handle, first)
    second = await agents.ago(timedelta(days=20)).send(ada.handle, bea.handle, expects_reply=True)
    await ada.sends(bea.handle)

    said = {"sender": ada.handle, "since": since.isoformat(), "until": until.isoformat()}
    for reader in (ada, bea, analyst):
        found = await asked(reader, "Quarter", **said)
        total = found["total"]
        assert (total["sent"], total["replies"], total["unanswered"], total["threadsStarted"]) == (2, 1, 1, 2)
        assert total["medianResponseSeconds"] == pytest.approx(86_400, abs=3_600)
        assert total["recipients"]["entries"] == [{"name": bea.handle, "count": 2}]
        assert total["tags"]["entries"] == [{"name": "tide", "count": 1}]
        assert sum(part["figures"]["sent"] for part in found["parts"]) == 2
        assert [one["id"] for one in nodes(found["messages"])] == [first, second]
        assert (found["messages"]["totalCount"], found["capped"]) == (2, False)
