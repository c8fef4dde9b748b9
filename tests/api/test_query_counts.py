"""How many queries a request makes: one for each kind of edge, however many rows (DESIGN §5, DataLoader)."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI

from graph.database import executed_queries
from tests.api.client import INBOX, THREAD, Person
from tests.api.conftest import People

EVERYTHING = """
query($first: Int!) { inbox(first: $first) { unreadCount state edges { node { uid tags message {
  subject bodyText sender { displayName } recipients { address } inReplyTo { ... on Message { subject } }
  thread {
    subject messageCount participants { displayName } forks { id } forkedFrom { id }
    messages { edges { node { depth } } }
  }
  replies { edges { node { subject bodyText } } totalCount }
  originSession { externalId } relatedSessions { id } tickets { key } memories { text session { id } }
  task { state assignee { displayName } message { id } history { edges { node { note } } } }
} } } } }
"""


@contextmanager
def counted() -> Iterator[list[str]]:
    """Give a list that fills with the names of the queries run meanwhile."""
    names: list[str] = []
    token = executed_queries.set(names)
    try:
        yield names
    finally:
        executed_queries.reset(token)


async def _correspond(ada: Person, bea: Person, times: int) -> None:
    for number in range(times):
        root = await ada.sends(
            bea.handle, originSession=f"s-{number}", tickets=["neo#1", "neo#2"], tags=["tide"], task={}
        )
        await bea.sends(inReplyTo=root["id"])


async def test_an_inbox_page_is_two_queries(people: People) -> None:
    """LESSONS, how peers are tested: at most three queries an inbox fetch. Ours: whose key, and the page."""
    ada, bea = await people("ada", "bea")
    await _correspond(ada, bea, 5)
    light = INBOX.replace("totalCount totalCapped unreadCount state", "unreadCount")
    with counted() as names:
        page = (await bea.ask(light))["inbox"]
    assert len(page["edges"]) == 5
    assert names == ["keys/caller", "mailbox/inbox_plain"]


async def test_what_is_left_for_later_is_none_of_the_requests_own(app: FastAPI, people: People) -> None:
    """That somebody is here is noted beside the request and may come to the database before its own queries do."""
    (ada,) = await people("ada")
    runtime = app.state.runtime
    caller = await runtime.graph.keys.caller(runtime.graph.database, ada.key)
    with counted() as names:
        runtime.note_seen(caller)
        await runtime.finish()
    assert names == []
    seen = await runtime.graph.keys.caller(runtime.graph.database, ada.key)
    assert caller.last_seen_at is None
    assert seen.last_seen_at is not None


async def test_a_copy_of_a_mailbox_begins_under_its_lock(people: People) -> None:
    """DESIGN §3.3: an unlocked scan may miss what a state covers; only who asks for the state waits for it."""
    ada, bea = await people("ada", "bea")
    await _correspond(ada, bea, 1)
    spread = "query { inbox { ...page } } fragment page on DeliveryConnection { ... { state } edges { cursor } }"
    for query in ("{ inbox { state edges { cursor } } }", spread):
        with counted() as names:
            await bea.ask(query)
        assert names == ["keys/caller", "mailbox/lock", "mailbox/inbox_plain"]


@pytest.mark.parametrize("rows", [2, 8])
async def test_every_edge_of_a_list_is_one_query(people: People, rows: int) -> None:
    ada, bea = await people("ada", "bea")
    await _correspond(ada, bea, rows)
    with counted() as names:
        page = (await bea.ask(EVERYTHING, first=rows))["inbox"]
    assert len(page["edges"]) == rows
    repeated = {name: names.count(name) for name in names if names.count(name) > 1}
    # Bodies and identities are asked for at two depths of the query, each once.
    assert set(repeated) <= {"messages/bodies", "identities/cards"}, repeated
    assert max(repeated.values(), default=1) <= 2
    assert len(names) <= 25


STANDING = """
query($first: Int!) { threads(first: $first) { edges { node {
  subject messageCount firstMessageAt lastMessageAt begunFrom { id } forks { id } forkedFrom { id }
  participants { displayName } participation { edges { node { agent { handle } messages lastAt } } }
  roots { edges { node { subject } } } heads { edges { node { id } } totalCount }
  awaitingReplyFrom { agent { handle } message { id } since }
  messages { edges { node { depth } } complete }
} } } }
"""


@pytest.mark.parametrize("rows", [2, 8])
async def test_a_list_of_threads_asks_once_for_each_field(people: People, rows: int) -> None:
    ada, bea = await people("ada", "bea")
    for _ in range(rows):
        root = await ada.sends(bea.handle, expectsReply=True)
        await bea.sends(bea.handle, inReplyTo=root["id"])
        await ada.sends(bea.handle, inReplyTo=root["id"])
    with counted() as names:
        page = (await bea.ask(STANDING, first=rows))["threads"]
    assert len(page["edges"]) == rows
    assert len(names) == len(set(names)) <= 12, names
    assert set(names) >= {"threads/newest", "threads/unlisted", "threads/skeleton", "threads/asked", "messages/cards"}
    with counted() as names:
        await bea.ask("{ threads { edges { node { id } } } }")
    assert names == ["keys/caller", "threads/newest", "threads/unlisted"]


async def test_a_thread_is_a_handful_of_queries(people: People) -> None:
    ada, bea = await people("ada", "bea")
    root = await ada.sends(bea.handle)
    for _ in range(6):
        await bea.sends(ada.handle, inReplyTo=root["id"])
    with counted() as names:
        thread = (await ada.ask(THREAD, id=root["id"]))["thread"]
    assert len(thread["messages"]["edges"]) == 7
    assert len(names) == len(set(names)) <= 8, names
