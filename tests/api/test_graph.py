"""Walking the graph: neighbours, paths and neighbourhoods, over nothing that one may not see (decision 0018)."""

import csv
import io
import json
from typing import Any

import networkx as nx
import pytest

from cli.exporting import SUBGRAPH as SUBGRAPH_EXPORT
from graph import neighbors as adjoining
from tests.api.client import REMEMBER, Data, Person
from tests.api.conftest import People

NEIGHBORS = """
query Neighbors(
  $id: ID!, $types: [EdgeType!], $direction: EdgeDirection, $labels: [NodeLabel!], $first: Int = 20, $after: String
) {
  neighbors(id: $id, types: $types, direction: $direction, labels: $labels, first: $first, after: $after) {
    edges { cursor type direction at node { id __typename } }
    pageInfo { hasNextPage endCursor } stoppedAfter notice
  }
}
"""
PATH = """
query Path($from: ID!, $to: ID!, $maxHops: Int = 4, $via: [EdgeType!], $limit: Int = 5) {
  path(from: $from, to: $to, maxHops: $maxHops, via: $via, limit: $limit) {
    hops stopped paths { nodes { id } edges { type from to at } }
  }
}
"""
SUBGRAPH = """
query Subgraph($seed: ID!, $hops: Int = 1, $via: [EdgeType!], $limit: Int = 50) {
  subgraph(seed: $seed, hops: $hops, via: $via, limit: $limit) {
    nodes { id } edges { type from to } stopped
  }
}
"""


async def neighbors(person: Person, id_: str, **said: Any) -> list[Data]:
    """Return the edges of every page."""
    found: list[Data] = []
    page = (await person.ask(NEIGHBORS, id=id_, **said))["neighbors"]
    found += page["edges"]
    while page["pageInfo"]["hasNextPage"]:
        page = (await person.ask(NEIGHBORS, id=id_, after=page["pageInfo"]["endCursor"], **said))["neighbors"]
        found += page["edges"]
    return found


def ids(edges: list[Data]) -> list[str]:
    return [edge["node"]["id"] for edge in edges]


async def test_a_message_has_its_neighbours_each_with_its_edge(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    kept = (await ada.ask(REMEMBER, input={"text": "Mind the lamp."}))["remember"]["memory"]["id"]
    first = await ada.sends(bea.handle, cc=[cy.handle], tags=["lamp"], tickets=["harbour#7"], memories=[kept])
    answer = await bea.sends(inReplyTo=first["id"])
    found = await neighbors(bea, first["id"])
    seen = {(edge["type"], edge["direction"], edge["node"]["id"]) for edge in found}
    assert seen == {
        ("SENT_BY", "OUT", ada.handle),
        ("SENT_TO", "OUT", bea.handle),
        ("SENT_TO", "OUT", cy.handle),
        # Who else has it is for its sender to know.
        ("DELIVERED_TO", "OUT", bea.handle),
        ("PART_OF_THREAD", "OUT", first["thread"]["id"]),
        ("TAGGED_CONCEPT", "OUT", "concept:lamp"),
        ("REFERENCES_TICKET", "OUT", "ticket:harbour#7"),
        ("REFERENCES_MEMORY", "OUT", kept),
        ("IN_REPLY_TO", "IN", answer["id"]),
    }
    assert all(edge["at"] is not None for edge in found)
    assert ids(await neighbors(ada, first["id"], types=["DELIVERED_TO"])) == sorted([bea.handle, cy.handle])[::-1]
    assert ids(await neighbors(cy, first["id"], types=["DELIVERED_TO"])) == [cy.handle]
    assert {edge["node"]["__typename"] for edge in found} >= {"AgentIdentity", "Thread", "Concept", "Ticket", "Memory"}
    assert ids(await neighbors(ada, first["id"], direction="IN")) == [answer["id"]]
    assert ids(await neighbors(bea, first["id"], labels=["MEMORY"])) == [kept]


async def test_a_hub_is_paged_in_the_order_of_its_index(people: People, analyst: Person) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    to_bea = [(await ada.sends(bea.handle, subject=f"Note {number}"))["id"] for number in range(5)]
    await ada.sends(cy.handle)
    entries = {"types": ["DELIVERED_TO"], "direction": "IN", "first": 2}
    for person in (bea, ada, analyst):
        assert ids(await neighbors(person, bea.handle, **entries)) == to_bea[::-1]
    written = {"types": ["SENT_BY"], "direction": "IN", "first": 2}
    assert ids(await neighbors(bea, ada.handle, **written)) == to_bea[::-1]
    assert len(await neighbors(ada, ada.handle, **written)) == 6
    assert len(await neighbors(analyst, ada.handle, **written)) == 6
    assert await neighbors(cy, bea.handle, types=["DELIVERED_TO", "SENT_TO"]) == []
    everything = await neighbors(bea, ada.handle, first=3)
    assert len({(edge["type"], edge["node"]["id"]) for edge in everything}) == len(everything)


async def test_a_thread_lists_its_messages_oldest_first(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    first = await ada.sends(bea.handle)
    second = await bea.sends(inReplyTo=first["id"])
    aside = await ada.sends(cy.handle, inReplyTo=second["id"])
    thread = first["thread"]["id"]
    assert ids(await neighbors(ada, thread, first=1)) == [first["id"], second["id"], aside["id"]]
    assert ids(await neighbors(bea, thread, first=1)) == [first["id"], second["id"]]
    assert ids(await neighbors(cy, thread)) == [aside["id"]]


async def test_what_one_tagged_is_paged_by_its_index_and_what_one_got_by_a_scan(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    tag = f"tag-{ada.handle[1:]}"
    mine = [(await ada.sends(bea.handle, tags=[tag]))["id"] for _ in range(3)]
    theirs = (await bea.sends(ada.handle, tags=[tag]))["id"]
    await bea.sends(cy.handle, tags=[tag])
    found = ids(await neighbors(ada, f"concept:{tag}", first=2))
    assert found == [theirs, *mine[::-1]]
    answer = await cy.ask(NEIGHBORS, id=f"concept:{tag}")
    assert len(answer["neighbors"]["edges"]) == 1


async def test_a_scan_says_when_it_stopped(people: People, analyst: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bea = await people("ada", "bea")
    ticket = f"hub-{ada.handle[1:]}#1"
    sent = [(await ada.sends(bea.handle, tickets=[ticket]))["id"] for _ in range(6)]
    whole = (await ada.ask(NEIGHBORS, id=f"ticket:{ticket}"))["neighbors"]
    assert (ids(whole["edges"]), whole["stoppedAfter"]) == (sent[::-1], None)
    monkeypatch.setattr(adjoining, "SCAN_MOST", 4)
    for person in (ada, bea, analyst):
        page = (await person.ask(NEIGHBORS, id=f"ticket:{ticket}"))["neighbors"]
        assert len(page["edges"]) == 4
        assert page["stoppedAfter"] == 5_000
        assert len(await neighbors(person, f"ticket:{ticket}", first=1)) == 4


async def test_a_list_ends_where_too_much_in_a_row_is_not_ones_own(
    people: People, analyst: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no cursor tells of what lies there."""
    ada, bea, cy = await people("ada", "bea", "cy")
    first = await ada.sends(bea.handle)
    for _ in range(8):
        await ada.sends(bea.handle, inReplyTo=first["id"])
    last = await ada.sends(cy.handle, inReplyTo=first["id"])
    thread = first["thread"]["id"]
    assert ids(await neighbors(cy, thread)) == [last["id"]]
    monkeypatch.setattr(adjoining, "SCAN_MOST", 4)
    monkeypatch.setattr(adjoining, "SCAN_WINDOW", 2)
    page = (await cy.ask(NEIGHBORS, id=thread, first=1))["neighbors"]
    assert page["edges"] == []
    assert page["pageInfo"] == {"hasNextPage": False, "endCursor": None}
    assert page["stoppedAfter"] == 5_000
    assert len(await neighbors(ada, thread, first=1)) == 10


async def test_rights_are_walked_by_those_they_are_between(people: People, analyst: Person) -> None:
    """Who blocks one is the blocker's to know; what one was granted is not a third's."""
    ada, bea, cy = await people("ada", "bea", "cy")
    grant = "mutation($a: Address!) { grantPermission(agent: $a, permission: CAN_READ_INBOX_OF) { refusal { code } } }"
    await ada.ask(grant, a=bea.handle)
    await ada.ask("mutation($a: Address!) { block(agent: $a) { refusal { code } } }", a=cy.handle)
    rights = {"types": ["CAN_READ_INBOX_OF", "BLOCKED_BY"]}

    async def seen(person: Person, of: Person) -> set[tuple[str, str]]:
        return {(edge["type"], edge["node"]["id"]) for edge in await neighbors(person, of.handle, **rights)}

    assert await seen(ada, ada) == {("CAN_READ_INBOX_OF", bea.handle), ("BLOCKED_BY", cy.handle)}
    assert await seen(bea, bea) == {("CAN_READ_INBOX_OF", ada.handle)}
    assert await seen(cy, cy) == set()
    assert await seen(cy, ada) == set()
    assert await seen(analyst, cy) == {("BLOCKED_BY", ada.handle)}
    for person, expected in ((cy, None), (ada, 1), (analyst, 1)):
        path = await person.ask(PATH, **{"from": ada.handle, "to": cy.handle, "via": rights["types"]})
        assert path["path"]["hops"] == expected


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"after": "nonsense"}, "INVALID_INPUT"),
        ({"types": []}, "INVALID_INPUT"),
        ({"first": 0}, "INVALID_INPUT"),
        ({"first": 101}, "LIMIT_EXCEEDED"),
    ],
)
async def test_what_cannot_be_meant_is_refused(people: People, said: Data, code: str) -> None:
    (ada,) = await people("ada")
    assert (await ada.refused(NEIGHBORS, id=ada.handle, **said))["code"] == code


async def test_a_path_goes_from_the_answer_to_the_first_question(people: People) -> None:
    ada, bea = await people("ada", "bea")
    first = await ada.sends(bea.handle)
    second = await bea.sends(inReplyTo=first["id"])
    third = await ada.sends(inReplyTo=second["id"])
    found = (await ada.ask(PATH, **{"from": third["id"], "to": first["id"], "via": ["IN_REPLY_TO"]}))["path"]
    assert (found["hops"], found["stopped"]) == (2, False)
    (path,) = found["paths"]
    assert [node["id"] for node in path["nodes"]] == [third["id"], second["id"], first["id"]]
    assert [(edge["from"], edge["to"]) for edge in path["edges"]] == [
        (third["id"], second["id"]),
        (second["id"], first["id"]),
    ]
    back = (await ada.ask(PATH, **{"from": first["id"], "to": third["id"], "via": ["IN_REPLY_TO"]}))["path"]
    assert [node["id"] for node in back["paths"][0]["nodes"]] == [first["id"], second["id"], third["id"]]
    short = await ada.ask(PATH, **{"from": third["id"], "to": first["id"], "via": ["IN_REPLY_TO"], "maxHops": 1})
    assert short["path"] == {"hops": None, "stopped": False, "paths": []}


async def test_all_shortest_paths_are_found_up_to_a_limit(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    sent = sorted([(await ada.sends(bea.handle, cy.handle))["id"] for _ in range(3)])
    asked = {"from": bea.handle, "to": cy.handle, "via": ["SENT_TO"]}
    found = (await ada.ask(PATH, **asked))["path"]
    assert [path["nodes"][1]["id"] for path in found["paths"]] == sent
    two = (await ada.ask(PATH, **asked, limit=2))["path"]
    assert (len(two["paths"]), two["stopped"]) == (2, True)
    oneself = (await ada.ask(PATH, **{"from": ada.handle, "to": ada.handle}))["path"]
    assert [[node["id"] for node in path["nodes"]] for path in oneself["paths"]] == [[ada.handle]]


async def test_a_path_leads_through_nothing_that_one_may_not_see(people: People, analyst: Person) -> None:
    ada, bea, cy, dot = await people("ada", "bea", "cy", "dot")
    between = await bea.sends(cy.handle)
    await ada.sends(bea.handle)
    asked = {"from": ada.handle, "to": cy.handle, "via": ["SENT_BY", "SENT_TO"]}
    for person, hops in ((bea, 4), (analyst, 4), (ada, None), (dot, None)):
        found = (await person.ask(PATH, **asked))["path"]
        assert found["hops"] == hops, person.handle
    assert (await dot.ask(PATH, **{"from": between["id"], "to": bea.handle}))["path"] is None


async def test_a_neighbourhood_has_the_nodes_and_the_edges_between_them(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    first = await ada.sends(bea.handle, tags=["lamp"])
    answer = await bea.sends(inReplyTo=first["id"])
    found = (await bea.ask(SUBGRAPH, seed=answer["id"], hops=2, via=["IN_REPLY_TO", "SENT_BY"]))["subgraph"]
    assert found["nodes"][0]["id"] == answer["id"]
    assert {node["id"] for node in found["nodes"]} >= {answer["id"], first["id"], ada.handle, bea.handle}
    assert {"type": "IN_REPLY_TO", "from": answer["id"], "to": first["id"]} in found["edges"]
    known = {node["id"] for node in found["nodes"]}
    assert all(edge["from"] in known and edge["to"] in known for edge in found["edges"])
    small = (await bea.ask(SUBGRAPH, seed=answer["id"], hops=3, limit=2))["subgraph"]
    assert (len(small["nodes"]), small["stopped"]) == (2, True)
    assert (await cy.ask(SUBGRAPH, seed=answer["id"]))["subgraph"] is None


@pytest.mark.parametrize(
    ("query", "said", "limit"),
    [
        (PATH, {"from": "@a", "to": "@b", "maxHops": 7}, "pathHopsMax"),
        (PATH, {"from": "@a", "to": "@b", "limit": 21}, "pathsMax"),
        (SUBGRAPH, {"seed": "@a", "hops": 4}, "subgraphHopsMax"),
        (SUBGRAPH, {"seed": "@a", "limit": 101}, "subgraphNodesMax"),
    ],
)
async def test_what_is_beyond_a_limit_is_refused_before_it_runs(
    people: People, query: str, said: Data, limit: str
) -> None:
    (ada,) = await people("ada")
    answer = await ada.answer(query, said)
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"
    assert f"({limit})" in error["message"]
    assert (await ada.ask(f"{{ limits {{ {limit} }} }}"))["limits"][limit] > 0


EXPORTS = """
query Exports($seed: ID!, $to: ID!) {
  subgraph(seed: $seed, hops: 1) {
    nodes { id } edges { type from to }
    json: export(format: JSON) graphml: export(format: GRAPHML) dot: export(format: DOT)
    nodesCsv: export(format: CSV_NODES) edgesCsv: export(format: CSV_EDGES)
  }
  path(from: $seed, to: $to) { export(format: JSON) }
}
"""


async def test_a_piece_of_the_graph_is_written_out_without_text(people: People) -> None:
    """Issue 5: networkx opens it again; what is in it is what its reader may see, and nobody's text."""
    ada, bea, cy = await people("ada", "bea", "cy")
    sent = await ada.sends(bea.handle, tags=["lamp"], tickets=["harbour#7"], subject="A secret", bodyText="a secret")
    hidden = await ada.sends(cy.handle, tickets=["harbour#7"])
    found = await bea.ask(EXPORTS, seed=sent["id"], to=ada.handle)
    piece = found["subgraph"]
    wanted = sorted((edge["from"], edge["to"], edge["type"]) for edge in piece["edges"])
    ids_ = sorted(node["id"] for node in piece["nodes"])
    for graph in (
        nx.node_link_graph(json.loads(piece["json"]), edges="edges"),
        nx.read_graphml(io.BytesIO(piece["graphml"].encode()), force_multigraph=True),
    ):
        assert sorted(graph.nodes) == ids_
        assert sorted((one, other, said["type"]) for one, other, said in graph.edges(data=True)) == wanted
    assert sorted(row["Id"] for row in csv.DictReader(io.StringIO(piece["nodesCsv"]))) == ids_
    assert len(list(csv.DictReader(io.StringIO(piece["edgesCsv"])))) == len(wanted)
    assert f'"{sent["id"]}" -> "ticket:harbour#7" [label="REFERENCES_TICKET"]' in piece["dot"]
    assert set(nx.node_link_graph(json.loads(found["path"]["export"]), edges="edges")) == {sent["id"], ada.handle}
    assert "secret" not in json.dumps(found)
    assert hidden["id"] not in json.dumps(found)


async def test_what_the_command_asks_of_a_piece_is_answered(people: People) -> None:
    """``heliograph export subgraph``: its query is of this schema."""
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle)
    asked = {"seed": sent["id"], "hops": 1, "limit": 100, "via": ["SENT_BY"], "format": "DOT"}
    found = (await bea.ask(SUBGRAPH_EXPORT, **asked))["subgraph"]
    assert f'"{sent["id"]}" -> "{ada.handle}"' in found["export"]
    assert (await bea.ask(SUBGRAPH_EXPORT, **{**asked, "seed": "@nobody-here"}))["subgraph"] is None
