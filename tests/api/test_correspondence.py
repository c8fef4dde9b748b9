"""Correspondence, the matrix and the graph of who writes to whom, over HTTP (issue 5; decisions 0019 and 0020)."""

import csv
import io
import json
from datetime import timedelta

import networkx as nx
import pytest

from api.shown import Shown
from cli.exporting import BETWEEN, EVER, HISTORY
from cli.exporting import GRAPH as WHOLE
from tests.api.acting import ADD_MEMBER, CREATE_ROLE, GRANT
from tests.api.client import RETRACT, Data, Person
from tests.api.conftest import People
from tests.support import Agents

CORRESPONDENCE = """
query($between: [Address!]!, $first: Int = 100, $after: String, $since: DateTime, $until: DateTime) {
  correspondence(between: $between, first: $first, after: $after, since: $since, until: $until) {
    edges { node { id } } pageInfo { hasNextPage endCursor } totalCount totalCapped notice
  }
}
"""
MATRIX = """
query($by: ConversationWeight = MESSAGES, $among: [Address!], $tags: [String!]) {
  communicationMatrix(by: $by, among: $among, tags: $tags) {
    since until capped truncated messages
    rows { source target weight messages threads answered unanswered medianResponseSeconds }
  }
}
"""
GRAPH = """
query($filter: ConversationFilter) {
  conversationGraph(filter: $filter) {
    capped truncated messages
    nodes { address sent received } edges { source target weight }
    measures { address inDegree outDegree betweenness pageRank community }
    json: export(format: JSON) graphml: export(format: GRAPHML) dot: export(format: DOT)
    nodesCsv: export(format: CSV_NODES) edgesCsv: export(format: CSV_EDGES)
  }
}
"""


async def written(person: Person, *between: Person, **arguments: object) -> list[str]:
    handles = [one.handle for one in between]
    page = (await person.ask(CORRESPONDENCE, between=handles, **arguments))["correspondence"]
    ids = [edge["node"]["id"] for edge in page["edges"]]
    assert page["totalCount"] == len(ids) or "first" in arguments
    return ids


async def rows(person: Person, **arguments: object) -> dict[tuple[str, str], Data]:
    found = (await person.ask(MATRIX, **arguments))["communicationMatrix"]
    assert (found["capped"], found["truncated"]) == (False, False)
    return {(row["source"], row["target"]): row for row in found["rows"]}


async def test_what_two_agents_wrote_to_each_other(people: People, operator: Person) -> None:
    """Sent by one, and addressed or delivered to the other by whatever way; what else they wrote is not of it."""
    ada, bea, cy = await people("ada", "bea", "cy")
    role = f"role:desk-{ada.handle[-6:]}"
    await operator.ask(CREATE_ROLE, input={"address": role})
    await operator.ask(ADD_MEMBER, role=role, agent=bea.handle)
    direct = (await ada.sends(bea.handle))["id"]
    copied = (await bea.sends(cy.handle, cc=[ada.handle]))["id"]
    by_role = (await ada.sends(role))["id"]
    await ada.sends(cy.handle)
    await ada.sends("@self")
    broadcast = (await bea.sends("@all"))["id"]
    twice = (await ada.sends(bea.handle, role))["id"]

    whole = [direct, copied, by_role, broadcast, twice]
    assert await written(ada, ada, bea) == whole
    assert await written(bea, bea, ada) == whole
    # A third sees of it what came to him.
    assert await written(cy, ada, bea) == [copied, broadcast]
    paged: list[str] = []
    after, more = None, True
    while more:
        page = (await ada.ask(CORRESPONDENCE, between=[ada.handle, bea.handle], first=2, after=after))["correspondence"]
        paged += [edge["node"]["id"] for edge in page["edges"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert paged == whole
    # Of three, what any of them wrote to another.
    assert len(await written(ada, ada, bea, cy)) == len(whole) + 1


async def test_an_analyst_reads_every_correspondence(people: People, analyst: Person, shown: Shown) -> None:
    """Issue 5: of others' mail too, and nobody is told that it was shown."""
    ada, bea, cy = await people("ada", "bea", "cy")
    whole = [(await ada.sends(bea.handle))["id"]]
    whole.append((await bea.sends(ada.handle, cy.handle, inReplyTo=whole[0]))["id"])
    gone = await ada.sends(bea.handle, subject="A secret", bodyText="a secret body")
    await ada.ask(RETRACT, id=gone["id"])
    assert await written(analyst, ada, bea) == [*whole, gone["id"]]
    assert await written(analyst, bea, cy) == whole[1:]
    assert await written(analyst, analyst, cy) == []
    lines = "query($b: [Address!]!) { correspondence(between: $b) { jsonLines } }"
    text = (await analyst.ask(lines, b=[ada.handle, bea.handle]))["correspondence"]["jsonLines"]
    said = [json.loads(line) for line in text.splitlines()]
    assert [one["retracted"] for one in said] == [False, False, True]
    replies: nx.DiGraph[str] = nx.DiGraph([(one["id"], one["inReplyTo"]) for one in said if "inReplyTo" in one])
    assert list(replies.edges) == [(whole[1], whole[0])]
    assert "secret" not in text
    await shown.finish()
    assert [one["seenAt"] for one in await seen(bea)] == [None, None]


async def seen(person: Person) -> list[Data]:
    page = await person.ask("{ sent { edges { node { receipts { edges { node { seenAt } } } } } } }")
    return [one["node"] for edge in page["sent"]["edges"] for one in edge["node"]["receipts"]["edges"]]


async def test_a_period_of_a_correspondence(people: People, agents: Agents) -> None:
    ada, bea = await people("ada", "bea")
    old = await agents.ago(timedelta(days=400)).send(ada.handle, bea.handle)
    new = (await bea.sends(ada.handle))["id"]
    middle = (agents.graph.clock.now() - timedelta(days=1)).isoformat()
    assert await written(bea, ada, bea) == [old, new]
    assert await written(bea, ada, bea, since=middle) == [new]
    assert await written(bea, ada, bea, until=middle) == [old]


async def test_what_cannot_be_a_correspondence_is_refused(people: People) -> None:
    (ada,) = await people("ada")
    for between, code in (
        ([ada.handle, "@self"], "INVALID_INPUT"),
        ([ada.handle, "role:desk"], "INVALID_INPUT"),
        ([ada.handle, "@nobody-here"], "NOT_FOUND"),
        ([ada.handle] * 11, "LIMIT_EXCEEDED"),
    ):
        refused = await ada.refused(CORRESPONDENCE, between=between)
        assert (refused["code"], refused["field"]) == (code, "between")
    refused = await ada.refused(MATRIX, among=["@ada"] * 51)
    assert (refused["code"], refused["field"]) == ("LIMIT_EXCEEDED", "among")


async def test_the_matrix_is_of_what_its_reader_sees(people: People, agents: Agents) -> None:
    ada, bea, cy, dot = await people("ada", "bea", "cy", "dot")
    asked = await agents.ago(timedelta(days=2)).send(ada.handle, bea.handle, cy.handle, expects_reply=True)
    await agents.ago(timedelta(days=1)).reply(bea.handle, asked)
    await ada.sends(inReplyTo=asked, to=[bea.handle])
    among = [person.handle for person in (ada, bea, cy)]

    mine = await rows(ada, among=among)
    assert {
        pair: (row["weight"], row["threads"], row["answered"], row["unanswered"]) for pair, row in mine.items()
    } == {
        (ada.handle, bea.handle): (2, 1, 1, 0),
        (ada.handle, cy.handle): (1, 1, 0, 1),
        (bea.handle, ada.handle): (1, 1, 0, 0),
    }
    assert mine[ada.handle, bea.handle]["medianResponseSeconds"] == pytest.approx(86_400, abs=3_600)
    assert mine[ada.handle, cy.handle]["medianResponseSeconds"] is None
    by_threads = await rows(ada, among=among, by="THREADS")
    assert by_threads[ada.handle, bea.handle]["weight"] == 1
    # What bea answered is not in the mailbox of cy, for whom she owes an answer too.
    his = await rows(cy, among=among)
    assert {pair: (row["weight"], row["unanswered"]) for pair, row in his.items()} == {
        (ada.handle, bea.handle): (1, 1),
        (ada.handle, cy.handle): (1, 1),
    }
    assert await rows(dot, among=among) == {}
    await cy.ask(GRANT, agent=dot.handle, permission="CAN_READ_INBOX_OF")
    assert await rows(dot, among=among) == his


async def test_the_graph_its_measures_and_its_exports(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    tag = f"tag-{ada.handle[-6:]}"
    for _ in range(2):
        await ada.sends(bea.handle, tags=[tag], subject="A secret subject", bodyText="a secret body")
    await bea.sends(ada.handle, tags=[tag])
    await bea.sends(cy.handle, tags=[tag])
    await bea.sends(cy.handle)

    found = (await bea.ask(GRAPH, filter={"tags": [tag]}))["conversationGraph"]
    links = {(ada.handle, bea.handle): 2, (bea.handle, ada.handle): 1, (bea.handle, cy.handle): 1}
    assert found["messages"] == 4
    assert {(edge["source"], edge["target"]): edge["weight"] for edge in found["edges"]} == links
    assert {node["address"]: (node["sent"], node["received"]) for node in found["nodes"]} == {
        ada.handle: (2, 1),
        bea.handle: (2, 2),
        cy.handle: (0, 1),
    }
    measures = {one["address"]: one for one in found["measures"]}
    assert measures[bea.handle]["betweenness"] > measures[ada.handle]["betweenness"] == 0
    assert (measures[bea.handle]["inDegree"], measures[bea.handle]["outDegree"]) == (1, 2)
    assert sum(one["pageRank"] for one in measures.values()) == pytest.approx(1)

    for graph in (
        nx.node_link_graph(json.loads(found["json"]), edges="edges"),
        nx.read_graphml(io.BytesIO(found["graphml"].encode())),
    ):
        assert {(one, other): said["weight"] for one, other, said in graph.edges(data=True)} == links
    assert [row["Id"] for row in csv.DictReader(io.StringIO(found["nodesCsv"]))] == sorted(measures)
    edges = csv.DictReader(io.StringIO(found["edgesCsv"]))
    assert {(row["Source"], row["Target"]): int(row["Weight"]) for row in edges} == links
    assert f'"{bea.handle}" -> "{cy.handle}" [weight=1' in found["dot"]
    assert "secret" not in json.dumps(found)
    # The others see of it what is theirs to see.
    his = (await cy.ask(GRAPH, filter={"tags": [tag]}))["conversationGraph"]
    assert [(edge["source"], edge["target"]) for edge in his["edges"]] == [(bea.handle, cy.handle)]


async def test_a_history_is_written_out_as_a_graph(people: People) -> None:
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle)
    text = (await ada.ask("{ senderHistory { export(format: CSV_EDGES) } }"))["senderHistory"]["export"]
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["Source"], row["Target"], row["Weight"]) == (ada.handle, bea.handle, "1")


async def test_what_the_command_asks_is_answered(people: People) -> None:
    """``heliograph export``: its queries are of this schema."""
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle)
    paging = {"since": EVER, "counting": True}
    about = {"ticket": "never#1", **paging}
    said = (await bea.ask(BETWEEN, between=[ada.handle, bea.handle], **about))["correspondence"]
    assert (said["totalCount"], said["jsonLines"]) == (0, "")
    for data in (
        (await bea.ask(HISTORY, of=ada.handle, **paging))["senderHistory"]["messages"],
        (await bea.ask(BETWEEN, between=[ada.handle, bea.handle], **paging))["correspondence"],
    ):
        assert data["totalCount"] == 1
        assert json.loads(data["jsonLines"])["id"] == sent["id"]
    period = {"since": None, "until": None, "among": [ada.handle, bea.handle], "tags": None, "thread": None}
    found = (await bea.ask(WHOLE, filter=period, by="THREADS", format="DOT"))["conversationGraph"]
    assert f'"{ada.handle}" -> "{bea.handle}" [weight=1' in found["export"]
