"""Cypher of an analyst's own: what honest queries answer, who may ask, and what is said of it (issue 5)."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from api.limits import Limits
from graph.bootstrap import Graph
from graph.keys import Scope
from tests.api.client import Data, Person
from tests.api.conftest import People
from tests.api.cypher import asking

ASK = """query($text: String!, $given: JSON) {
  cypher(query: $text, parameters: $given) { columns rows rowCount byteCount truncated truncatedBy notice }
}"""


@pytest_asyncio.fixture(scope="module")
async def served(graph: Graph) -> AsyncIterator[httpx.AsyncClient]:
    async with asking(graph) as http:
        yield http


@pytest_asyncio.fixture(scope="module")
async def asker(served: httpx.AsyncClient, analyst: Person) -> Person:
    return Person(served, analyst.handle, analyst.key)


@pytest_asyncio.fixture(scope="module")
async def story(people: People) -> Data:
    """Three agents: a question with two answers, one of them answered again."""
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cy.handle, subject="Tidewater", tags=["plan"], tickets=["ABC-12"])
    first = await bea.sends(inReplyTo=root["id"], subject="Six")
    second = await cy.sends(ada.handle, inReplyTo=root["id"], subject="Seven")
    last = await ada.sends(inReplyTo=first["id"], subject="Good")
    everybody = [ada.handle, bea.handle, cy.handle]
    ids = [message["id"] for message in (root, first, second, last)]
    return {"all": everybody, "ids": ids, "root": ids[0], "ada": everybody[0], "bea": everybody[1]}


async def rows(asker: Person, text: str, **given: Any) -> list[list[Any]]:
    found = (await asker.ask(ASK, text=text, given=given))["cypher"]
    assert (found["truncated"], found["rowCount"]) == (False, len(found["rows"]))
    answer: list[list[Any]] = found["rows"]
    return answer


HONEST = [
    (
        (
            "MATCH (m:Message)-[:SENT_BY]->(a:AgentIdentity) WHERE a.handle IN $all "
            "RETURN a.handle = $ada AS ada, count(*) AS sent ORDER BY sent DESC, ada DESC LIMIT 1"
        ),
        [[True, 2]],
    ),
    (
        "MATCH (m:Message {id: $root}) OPTIONAL MATCH (m)-[:IN_REPLY_TO]->(p) RETURN m.subject, p.id",
        [["Tidewater", None]],
    ),
    (
        (
            "MATCH p = (m:Message)-[:IN_REPLY_TO*1..5]->(:Message {id: $root}) "
            "RETURN [x IN nodes(p) | x.subject] AS way, length(p) AS hops ORDER BY hops DESC, way LIMIT 1"
        ),
        [[["Good", "Six", "Tidewater"], 2]],
    ),
    (
        (
            "MATCH p = shortestPath((a:AgentIdentity {handle: $ada})-[:SENT_BY|SENT_TO*..4]-(b {handle: $bea})) "
            "RETURN length(p) AS hops;"
        ),
        [[2]],
    ),
    ("MATCH ((a:Message)-[:IN_REPLY_TO]->(b)){1,3} (c {id: $root}) RETURN count(*) AS n", [[3]]),
    (
        (
            "CALL db.index.fulltext.queryNodes('message_text', 'subject:tidewater') YIELD node, score "
            "WHERE node.id = $root AND score > 0 RETURN node.subject"
        ),
        [["Tidewater"]],
    ),
    ("CALL db.labels() YIELD label WITH label WHERE label = 'Message' RETURN label", [["Message"]]),
    ("CALL db.relationshipTypes() YIELD relationshipType AS t WITH t WHERE t = 'SENT_BY' RETURN t", [["SENT_BY"]]),
    (
        "UNWIND $ids AS id MATCH (m:Message {id: id}) RETURN m.subject AS s ORDER BY s SKIP 1 LIMIT 2",
        [["Seven"], ["Six"]],
    ),
    (
        "MATCH (m:Message {id: $root}) RETURN m.subject AS s UNION MATCH (c:Concept {name: 'plan'}) RETURN c.name AS s",
        [["Tidewater"], ["plan"]],
    ),
    (
        (
            "MATCH (m:Message) WHERE m.id IN $ids WITH m.subject AS s WHERE s STARTS WITH 'S' "
            "RETURN collect(s) AS all, toUpper(head(collect(s))) = 'SIX' OR true AS yes"
        ),
        [[["Six", "Seven"], True]],
    ),
    (
        (
            "MATCH (m:Message {id: $root}) RETURN COUNT { (m)<-[:IN_REPLY_TO]-() } AS n, "
            "EXISTS { (m)-[:REFERENCES_TICKET]->(:Ticket {key: 'ABC-12'}) } AS has"
        ),
        [[2, True]],
    ),
    (
        (
            "MATCH (m:Message {id: $root}) "
            "CALL (m) { MATCH (m)<-[:IN_REPLY_TO]-(r) RETURN r.subject AS s ORDER BY s LIMIT 1 } "
            "RETURN m { .subject, first: s } AS card"
        ),
        [[{"subject": "Tidewater", "first": "Seven"}]],
    ),
    (
        (
            "MATCH ()-[d:DELIVERED_TO]->() WHERE d.mailbox = $bea AND d.uid > 0 "
            "RETURN d.uid AS uid ORDER BY d.mailbox, d.uid LIMIT 1"
        ),
        [[1]],
    ),
    (
        (
            "// Comments are for people.\nMATCH (m:Message {id: $root}) /* and stay */\n"
            "RETURN CASE WHEN m.createdAt <= datetime() THEN 'past' ELSE 'future' END AS `when?`"
        ),
        [["past"]],
    ),
    ("UNWIND range(0, size($ids) - 1) AS i RETURN i, $ids[i] = $root AS is ORDER BY i LIMIT 1", [[0, True]]),
    (
        (
            "MATCH (a:AgentIdentity) WHERE a.handle IN $all "
            "RETURN all(x IN collect(a.handle) WHERE x STARTS WITH '@') AS named, count(*) AS n"
        ),
        [[True, 3]],
    ),
    ("RETURN $nested.a[1] AS x, replace('a-b', '-', ' ') AS y", [[2, "a b"]]),
]


@pytest.mark.parametrize(("text", "expected"), HONEST, ids=[text[:60] for text, _ in HONEST])
async def test_an_honest_query_is_answered(asker: Person, story: Data, text: str, expected: list[Any]) -> None:
    answer = await rows(asker, text, **story, nested={"a": [1, 2]})
    if "collect(s)" in text:
        answer = [[sorted(answer[0][0], key="Six Seven".find), *answer[0][1:]]]
    assert answer == expected


async def test_values_of_the_graph_have_a_shape(asker: Person, story: Data) -> None:
    text = "MATCH p = (m:Message {id: $root})-[r:SENT_BY]->(a) RETURN m, r, a.handle AS h, p"
    ((message, edge, handle, path),) = await rows(asker, text, **story)
    assert (message["$type"], message["labels"]) == ("Node", ["Message"])
    assert message["properties"]["subject"] == "Tidewater"
    assert message["properties"]["createdAt"]["$type"] == "DateTime"
    assert (edge["$type"], edge["type"], edge["start"]) == ("Relationship", "SENT_BY", message["elementId"])
    assert edge["properties"]["sender"] == handle == story["ada"]
    assert [node["elementId"] for node in path["nodes"]] == [edge["start"], edge["end"]]
    assert path["relationships"] == [edge]


async def test_values_of_types_that_json_has_not_have_a_shape(asker: Person) -> None:
    text = (
        "RETURN date('2026-01-02') AS a, datetime('2026-01-02T03:04:05.006Z') AS b, "
        "localdatetime('2026-01-02T03:04') AS c, "
        "time('03:04+01:00') AS d, localtime('03:04') AS e, duration('P1DT2S') AS f, point({x: 1, y: 2}) AS g, "
        "9007199254740993 AS h, 0.0 / 0.0 AS i, 1.5 AS j, {`$type`: 'Node'} AS k, [1, [null, 'x']] AS l, 1.0 / 0.0 AS m"
    )
    assert await rows(asker, text) == [
        [
            {"$type": "Date", "value": "2026-01-02"},
            {"$type": "DateTime", "value": "2026-01-02T03:04:05.006000000+00:00"},
            {"$type": "LocalDateTime", "value": "2026-01-02T03:04:00.000000000"},
            {"$type": "Time", "value": "03:04:00.000000000+01:00"},
            {"$type": "LocalTime", "value": "03:04:00.000000000"},
            {"$type": "Duration", "value": "P1DT2S"},
            {"$type": "Point", "srid": 7203, "coordinates": [1.0, 2.0]},
            {"$type": "Integer", "value": "9007199254740993"},
            {"$type": "Float", "value": "NaN"},
            1.5,
            {"$type": "Map", "entries": {"$type": "Node"}},
            [1, [None, "x"]],
            {"$type": "Float", "value": "Infinity"},
        ]
    ]


async def test_what_is_wrong_with_a_query_is_said_with_its_place(asker: Person) -> None:
    answer = await asker.answer(ASK, {"text": "MATCH (n)\nRETURN m"})
    (error,) = answer["errors"]
    assert (error["extensions"]["code"], error["extensions"]["field"]) == ("INVALID_INPUT", "query")
    assert "`m` not defined (line 2, column 8, offset 17)" in error["message"]
    assert "EXPLAIN" not in error["message"]
    for text in (
        "RETURN 1 / 0",
        "RETURN $nope",
        "RETURN 1 + date()",
        "RETURN date({year: 99999})",
        "MATCH (n) RETRUN n",
    ):
        assert (await asker.refused(ASK, text=text))["code"] == "INVALID_INPUT", text


@pytest.mark.parametrize("given", ["text", [1], 7, {"x": float(2**70)}, {"x": "\ud800"}])
async def test_parameters_are_an_object_of_json(asker: Person, given: Any) -> None:
    answer = await asker.answer(ASK, {"text": "RETURN 1 AS x", "given": given})
    if isinstance(given, dict) and isinstance(given["x"], float):
        assert answer["data"]["cypher"]["rows"] == [[1]]
    else:
        assert answer["errors"][0]["extensions"]["code"] == "INVALID_INPUT"
        assert answer["errors"][0]["extensions"]["field"] == "parameters"


async def test_rows_and_bytes_are_cut_at_the_published_limits(graph: Graph, analyst: Person) -> None:
    async with asking(graph, Limits(messages=graph.limits, cypher_rows=3, cypher_bytes=20_000)) as http:
        asker = Person(http, analyst.handle, analyst.key)
        limits = (await asker.ask("{ limits { cypherRows cypherBytes cypherSeconds } }"))["limits"]
        assert limits == {"cypherRows": 3, "cypherBytes": 20_000, "cypherSeconds": 10.0}
        three = (await asker.ask(ASK, text="UNWIND range(1, 3) AS x RETURN x"))["cypher"]
        assert (three["rows"], three["truncated"], three["truncatedBy"]) == ([[1], [2], [3]], False, None)
        four = (await asker.ask(ASK, text="UNWIND range(1, 10000) AS x RETURN x"))["cypher"]
        assert (four["rows"], four["truncated"], four["truncatedBy"]) == ([[1], [2], [3]], True, "ROWS")
        wide = (await asker.ask(ASK, text="UNWIND [1, 2] AS x RETURN x, range(1, 4000)"))["cypher"]
        assert (wide["rowCount"], wide["truncatedBy"]) == (1, "BYTES")
        answer = await asker.answer(ASK, {"text": "RETURN range(1, 10000) AS all"})
        assert answer["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"
        assert "cypherBytes" in answer["errors"][0]["message"]


async def test_a_key_asks_one_thing_at_a_time(graph: Graph, asker: Person) -> None:
    text = "UNWIND range(1, 10000) AS a UNWIND range(1, 300) AS b RETURN count(*) AS n"
    answers = await asyncio.gather(*(asker.answer(ASK, {"text": text}) for _ in range(2)))
    (error,) = [answer["errors"][0]["extensions"] for answer in answers if "errors" in answer]
    assert (error["code"], error["retryable"]) == ("LIMIT_EXCEEDED", True)
    (found,) = [answer["data"]["cypher"]["rows"] for answer in answers if "errors" not in answer]
    assert found == [[3_000_000]]
    assert await rows(asker, "RETURN 1 AS x") == [[1]]


async def test_it_is_off_until_an_operator_turns_it_on(analyst: Person) -> None:
    answer = await analyst.answer(ASK, {"text": "RETURN 1 AS x"})
    assert answer["errors"][0]["extensions"]["code"] == "CYPHER_OFF"
    assert "HELIOGRAPH_ANALYST_CYPHER=true" in answer["errors"][0]["message"]


async def test_it_is_for_analysts_alone(
    graph: Graph, served: httpx.AsyncClient, people: People, operator: Person, nobody: Person
) -> None:
    (ada,) = await people("ada")
    for person in (ada, operator):
        asking_it = Person(served, person.handle, person.key)
        assert (await asking_it.refused(ASK, text="RETURN 1 AS x"))["code"] == "FORBIDDEN"
    assert (await Person(served).refused(ASK, text="RETURN 1 AS x"))["code"] == "UNAUTHENTICATED"
    key = await graph.keys.issue(graph.database, graph.clock, ada.handle, {Scope.AGENT, Scope.ANALYST})
    both = Person(served, ada.handle, key.secret.get_secret_value())
    assert await rows(both, "RETURN 1 AS x") == [[1]]


async def test_each_use_is_logged_with_its_text(
    asker: Person, people: People, served: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    (ada,) = await people("ada")
    with caplog.at_level(logging.INFO, logger="graph.analysts"):
        await asker.ask(ASK, text="RETURN\n 'hg_by-mistake' AS x, $secret AS y", given={"secret": "a secret"})
        await asker.refused(ASK, text="MATCH (n) DETACH DELETE n")
        await Person(served, ada.handle, ada.key).refused(ASK, text="RETURN 7 AS seven")
    lines = [record.getMessage() for record in caplog.records if record.name == "graph.analysts"]
    assert len(lines) == 6
    assert asker.handle in lines[0]
    assert "key cred_" in lines[0]
    assert "RETURN\\n 'hg_…' AS x, $secret AS y".encode("ascii", "backslashreplace").decode() in lines[0]
    assert "1 rows" in lines[1]
    assert "DETACH DELETE" in lines[2]
    assert "refused with CYPHER_REFUSED" in lines[3]
    assert (ada.handle in lines[4], "RETURN 7 AS seven" in lines[4]) == (True, True)
    assert "refused with FORBIDDEN" in lines[5]
    assert not any("a secret" in line or "by-mistake" in line or "\n" in line for line in lines)


async def test_turning_it_on_is_logged_with_what_it_means(graph: Graph, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="graph.analysts"):
        async with asking(graph):
            pass
    (record,) = [record for record in caplog.records if record.name == "graph.analysts"]
    assert "private memories and private ledgers" in record.getMessage()
    assert "restored backup" in record.getMessage()
