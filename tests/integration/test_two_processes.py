"""Two servers on one graph: each sees at once what the other wrote, and both obey the same locks (LESSONS 6)."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import pytest_asyncio

from tests.api.acting import ADD_MEMBER, CLAIM, CREATE_ROLE, MAILBOX, REGISTER
from tests.api.client import MARK_READ, RETRACT, Person
from tests.integration.server import Server, running

ROUNDS, SEARCHES = 10, 30
SEARCH = '{ search(query: "astatine") { edges { node { id } } totalCount } }'
Pair = tuple[Person, Person]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """Start two servers on one home: the second attaches to the database of the first."""
    folder = tmp_path_factory.mktemp("two")
    with (
        running(folder / "home", folder / "first.json") as first,
        running(folder / "home", folder / "second.json") as second,
    ):
        assert first.ready["boltUri"] == second.ready["boltUri"]
        yield first, second


@pytest_asyncio.fixture(scope="module")
async def doors(servers: tuple[Server, Server]) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """Return a client of each server."""
    one, two = (httpx.AsyncClient(base_url=server.ready["url"], timeout=120) for server in servers)
    async with one, two:
        yield one, two


@pytest_asyncio.fixture(scope="module")
async def operator(servers: tuple[Server, Server], doors: tuple[httpx.AsyncClient, httpx.AsyncClient]) -> Person:
    """Return the operator, at the first server."""
    return Person(doors[0], "@operator", servers[0].ready["operatorKey"])


async def _registered(operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient], handle: str) -> Pair:
    """Register an agent and return it as it calls either server."""
    answer = (await operator.ask(REGISTER, input={"handle": handle}))["registerAgent"]
    assert answer["refusal"] is None
    one, two = (Person(door, handle, answer["key"]) for door in doors)
    return one, two


async def test_what_one_server_acknowledged_the_other_shows(
    operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    ada, bea = [await _registered(operator, doors, handle) for handle in ("@ada", "@bea")]
    for number in range(ROUNDS):
        here, there = number % 2, 1 - number % 2
        sent = await ada[here].sends("@bea", subject=f"Round {number}")
        entries = await bea[there].entries()
        assert (entries[0]["message"]["id"], entries[0]["unread"], len(entries)) == (sent["id"], True, number + 1)
        marked = (await bea[there].ask(MARK_READ, ids=[sent["id"]]))["markRead"]["results"]
        assert marked[0]["delivery"]["unread"] is False
        assert (await bea[here].inbox())["unreadCount"] == 0


async def test_what_one_server_acknowledged_the_other_finds_at_once(
    operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    """The full-text index follows the commits, and every search waits for it (DESIGN §3.2, §3.5)."""
    hal, ida = [await _registered(operator, doors, handle) for handle in ("@hal", "@ida")]
    for number in range(SEARCHES):
        here, there = number % 2, 1 - number % 2
        sent = await hal[here].sends("@ida", subject="Astatine")
        found = (await ida[there].ask(SEARCH))["search"]
        assert ([edge["node"]["id"] for edge in found["edges"]], found["totalCount"]) == ([sent["id"]], 1), number
        assert (await hal[here].ask(RETRACT, id=sent["id"]))["retractMessage"]["refusal"] is None
        found = (await ida[there].ask(SEARCH))["search"]
        assert (found["edges"], found["totalCount"]) == ([], 0), number


async def test_a_state_of_one_server_is_followed_at_the_other(
    operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    """LESSONS 13: a state is kept by nobody but who has it, so it outlives the server that gave it."""
    hob, ivy = [await _registered(operator, doors, handle) for handle in ("@hob", "@ivy")]
    state, told = (await ivy[0].inbox())["state"], []
    for number in range(ROUNDS):
        sent = await hob[number % 2].sends("@ivy", subject=f"Round {number}")
        page = await ivy[1 - number % 2].changes(state)
        assert ([entry["message"]["id"] for entry in page["created"]], page["changed"]) == ([sent["id"]], [])
        told += page["created"]
        state = page["newState"]
    assert [entry["uid"] for entry in told] == list(range(1, ROUNDS + 1))
    for door in ivy:
        page = await door.changes(state)
        assert (page["created"], page["changed"], page["hasMore"], page["newState"]) == ([], [], False, state)


async def test_retries_at_both_servers_make_one_message(
    operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    """LESSONS 15: the same key and content again, wherever it arrives, is the same message."""
    cy, dot = [await _registered(operator, doors, handle) for handle in ("@cy", "@dot")]
    tried = await asyncio.gather(*(cy[number % 2].tries("@dot", idempotencyKey="once") for number in range(20)))
    assert {answer["message"]["id"] for answer in tried} == {tried[0]["message"]["id"]}
    assert [answer["duplicate"] for answer in tried].count(False) == 1
    assert len(await dot[1].entries()) == 1


async def test_senders_at_both_servers_leave_no_gap(
    operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    senders = [await _registered(operator, doors, f"@eel{number}") for number in range(6)]
    finn = await _registered(operator, doors, "@finn")
    calls = [senders[number % 6][number % 2].sends("@finn") for number in range(60)]
    sent = await asyncio.gather(*calls)
    for door in finn:
        page = await door.inbox(first=100)
        assert [edge["node"]["uid"] for edge in page["edges"]] == list(range(60, 0, -1))
        assert {edge["node"]["message"]["id"] for edge in page["edges"]} == {message["id"] for message in sent}
        assert (page["unreadCount"], page["totalCount"]) == (60, 60)


async def test_one_entry_of_a_queue_has_one_holder_at_whichever_server(
    operator: Person, doors: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    members = [await _registered(operator, doors, f"@gull{number}") for number in range(6)]
    await operator.ask(CREATE_ROLE, input={"address": "role:desk", "delivery": "QUEUE"})
    for member in members:
        await operator.ask(ADD_MEMBER, role="role:desk", agent=member[0].handle)
    sent = await operator.sends("role:desk")
    tried = await asyncio.gather(
        *(member[number % 2].ask(CLAIM, mailbox="role:desk", id=sent["id"]) for number, member in enumerate(members))
    )
    assert [answer["claimEntry"]["claim"] is not None for answer in tried].count(True) == 1
    for door in members[0]:
        (edge,) = (await door.ask(MAILBOX, mailbox="role:desk"))["inbox"]["edges"]
        assert edge["node"]["claim"]["by"]["handle"].startswith("@gull")
