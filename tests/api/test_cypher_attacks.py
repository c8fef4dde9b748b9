"""Attacks on the gate before analysts' Cypher: none succeeds, and the server stays well (issue 5, "must show" 6)."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from api.limits import Limits
from graph.bootstrap import Graph
from graph.database import Row
from graph.queries import Query
from tests.api.attacks import ENDLESS, EVERY, Attack
from tests.api.client import Person
from tests.api.conftest import People
from tests.api.cypher import asking

ASK = "query($text: String!, $given: JSON) { cypher(query: $text, parameters: $given) { rows } }"
WELL = "{ health { status } inbox(first: 1) { totalCount } }"

COUNTS = Query("tests/counts", "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN labels(n) AS labels, count(r) AS edges")
STOLEN = Query("tests/stolen", "MATCH (n) WHERE n:Stolen OR n.subject = 'mine' OR n.x = 1 RETURN count(n) AS found")
SCHEMA = Query("tests/schema", "SHOW INDEXES YIELD name, state RETURN name, state ORDER BY name")
USERS = Query("tests/users", "SHOW USERS YIELD user RETURN user")


@pytest_asyncio.fixture(scope="module")
async def attacker(graph: Graph, analyst: Person) -> AsyncIterator[Person]:
    """Return an analyst on a server where Cypher is on, with the limits as they are."""
    async with asking(graph) as http:
        yield Person(http, analyst.handle, analyst.key)


@pytest_asyncio.fixture(scope="module")
async def hurried(graph: Graph, analyst: Person) -> AsyncIterator[Person]:
    """Return an analyst on a server where Cypher is on and queries have a second."""
    async with asking(graph, Limits(messages=graph.limits, cypher_seconds=1.0)) as http:
        yield Person(http, analyst.handle, analyst.key)


@pytest_asyncio.fixture(scope="module")
async def victim(people: People) -> Person:
    """Return an agent with mail, whom no attack may touch."""
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle, subject="Tide tables", tags=["plan"])
    return bea


async def state(graph: Graph) -> list[Row]:
    """Return all that an attack could have changed: what is there of each kind, indexes, users."""
    found: list[Row] = []
    for query in (COUNTS, STOLEN, SCHEMA, USERS):
        found += await graph.database.fetch(query)
    return found


async def check(graph: Graph, attacker: Person, victim: Person, attack: Attack) -> None:
    before = await state(graph)
    answer = await attacker.answer(ASK, {"text": attack.text, "given": attack.parameters})
    assert answer["errors"][0]["extensions"]["code"] == attack.code, answer
    assert await state(graph) == before
    assert await victim.ask(WELL) == {"health": {"status": "ok"}, "inbox": {"totalCount": 1}}


@pytest.mark.parametrize("attack", EVERY, ids=[attack.text[:70] for attack in EVERY])
async def test_an_attack_is_refused(graph: Graph, attacker: Person, victim: Person, attack: Attack) -> None:
    await check(graph, attacker, victim, attack)


@pytest.mark.parametrize("attack", ENDLESS, ids=[attack.text[-70:] for attack in ENDLESS])
async def test_what_has_no_end_is_stopped(graph: Graph, hurried: Person, victim: Person, attack: Attack) -> None:
    await check(graph, hurried, victim, attack)


async def test_the_analyst_can_ask_after_all_of_it(attacker: Person, hurried: Person) -> None:
    for person in (attacker, hurried):
        answer = await person.ask(ASK, text="RETURN 1 AS one")
        assert answer["cypher"]["rows"] == [[1]]


async def test_an_attack_of_the_text_is_judged_before_the_database_sees_it(
    graph: Graph, http: httpx.AsyncClient, attacker: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what the text does not show reaches Neo4j, and then only to be explained."""
    seen: list[str] = []
    monkeypatch.setattr("graph.analysts.AnalystCypher._opened", lambda _: seen.append("opened"))
    assert (await attacker.refused(ASK, text="RETURN reduce(a = 0, x IN [1] | a)"))["code"] == "CYPHER_REFUSED"
    assert seen == []
