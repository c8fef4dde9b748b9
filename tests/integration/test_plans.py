"""What the database does for each list: a page costs the same in a mailbox of 200 as in one of thousands (DESIGN §2).

Every list query names all properties of its index and sorts in the order of that index; one that does not still answers
right, and reads the whole mailbox. So these tests read the plan of each query after it ran.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.mailbox import TOP, InboxFilter
from graph.queries import query
from graph.readers import Reader as Caller
from graph.rules.limits import THREAD_MEMBERS
from graph.scanning import LAST_ID
from graph.sent import FIRST_MOMENT, LAST_MOMENT
from tests.crowd import Reader, reader
from tests.support import Agents, Profile, profiled

SIZES = (200, 3000)
#: One more than the page, to know whether there is a next one.
WINDOW = 21

#: Nothing may be read that the page does not need: no label or type, and no index, from its one end to the other.
READS_ALL = re.compile(r"AllNodesScan|ByLabelScan|TypeScan|AllRelationshipsScan|IndexScan")
SORTS = re.compile(r"Sort|Top")


@dataclass(frozen=True)
class Case:
    """A list query, what it is asked, the index that must serve it, and what a page may cost."""

    query: str
    index: str
    hits: int
    asked: Callable[[Reader], dict[str, Any]]
    rows: Callable[[Profile], Sequence[Any]] = lambda profile: profile.rows
    answers: int = WINDOW
    #: How much more a page of the larger mailbox may cost; what goes by ids varies a little with the store's layout.
    more: float = 1.1


def entries(query_name: str, index: str, hits: int, chosen: Callable[[Reader], InboxFilter]) -> Case:
    """Return the case of an inbox query for a filter."""

    def asked(reader: Reader) -> dict[str, Any]:
        filtered = chosen(reader).parameters()
        return {"mailbox": reader.handle, "before": TOP, "window": WINDOW, "counting": False, **filtered}

    return Case(f"mailbox/{query_name}", index, hits, asked, lambda profile: profile.rows[0]["entries"], more=1)


CASES = {
    "the inbox": entries("inbox_plain", "DELIVERED_TO(mailbox, folder, uid)", 400, lambda _: InboxFilter()),
    "unread": entries(
        "inbox_unread", "DELIVERED_TO(mailbox, folder, unread, uid)", 400, lambda _: InboxFilter(unread=True)
    ),
    "from a sender": entries(
        "inbox_sender", "DELIVERED_TO(mailbox, sender, uid)", 400, lambda reader: InboxFilter(sender=reader.friend)
    ),
    "of a thread": entries(
        "inbox_thread", "DELIVERED_TO(mailbox, thread, uid)", 400, lambda reader: InboxFilter(thread=reader.thread)
    ),
    "with a tag": entries(
        "inbox_tag",
        "FILED_UNDER(mailbox, folder, concept, uid)",
        # The tag's index leads to each entry by a second one.
        450,
        lambda reader: InboxFilter(tags=(reader.tag,)),
    ),
    "archived ones too": entries(
        "inbox_all", "DELIVERED_TO(mailbox, uid)", 400, lambda _: InboxFilter(include_archived=True)
    ),
    "sent": Case(
        "mailbox/sent",
        "SENT_BY(sender, createdAt, messageId)",
        400,
        lambda reader: {
            "sender": reader.handle,
            "beforeTime": LAST_MOMENT,
            "beforeId": LAST_ID,
            "since": FIRST_MOMENT,
            "to": None,
            "tags": None,
            "thread": None,
            "window": WINDOW,
            "counting": False,
        },
        lambda profile: profile.rows[0]["messages"],
    ),
    "pending handovers": Case(
        "handovers/pending",
        "DELIVERED_TO(mailbox, pending, uid)",
        400,
        lambda reader: {"agent": reader.handle, "after": 0, "limit": WINDOW},
    ),
    "all handovers": Case(
        "handovers/every",
        "FILED_UNDER(mailbox, folder, concept, uid)",
        500,
        lambda reader: {"agent": reader.handle, "after": 0, "limit": WINDOW},
    ),
    "replies": Case(
        "messages/replies",
        "IN_REPLY_TO(parent, messageId)",
        1200,
        lambda reader: {
            "ids": [reader.opening],
            **Caller.alone(reader.handle).parameters,
            "after": "",
            "limit": WINDOW,
        },
    ),
    "a thread": Case(
        "threads/skeleton",
        "PART_OF_THREAD(thread, messageId)",
        3500,
        lambda reader: {
            "ids": [reader.thread],
            **Caller.alone(reader.handle).parameters,
            "most": THREAD_MEMBERS + 1,
            "limit": 5 * THREAD_MEMBERS + 1,
        },
        answers=40,
    ),
    "a thread's count": Case(
        "threads/counts",
        "DELIVERED_TO(mailbox, thread, uid)",
        600,
        lambda reader: {"ids": [reader.thread], **Caller.alone(reader.handle).parameters},
        answers=1,
    ),
    "a thread's subject": Case(
        "threads/subjects",
        "PART_OF_THREAD(thread, messageId)",
        150,
        lambda reader: {"ids": [reader.thread], **Caller.alone(reader.handle).parameters},
        answers=1,
    ),
    "a thread's participants": Case(
        "threads/participants",
        "PART_OF_THREAD(thread, messageId)",
        1500,
        lambda reader: {"ids": [reader.thread], **Caller.alone(reader.handle).parameters},
        answers=2,
    ),
    "messages by id": Case(
        "messages/cards",
        "Message(id)",
        1100,
        lambda reader: {"ids": reader.sample, **Caller.alone(reader.handle).parameters},
        answers=20,
    ),
    "entries by message": Case(
        "mailbox/deliveries",
        "DELIVERED_TO(mailbox, messageId)",
        600,
        lambda reader: {"ids": reader.sample, "mailbox": reader.handle},
        answers=20,
    ),
}


@pytest_asyncio.fixture(scope="module")
async def readers(graph: Graph, agents: Agents) -> list[Reader]:
    """Make one reader of each size, all of them before any is asked."""
    return [await reader(graph, agents, size) for size in SIZES]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_a_page_costs_the_same_however_large_the_mailbox(graph: Graph, readers: list[Reader], case: Case) -> None:
    small, large = [await profiled(graph.database, query(case.query), case.asked(reader)) for reader in readers]
    for profile in (small, large):
        assert len(case.rows(profile)) == case.answers, str(profile)
        assert profile.hits <= case.hits, str(profile)
        assert case.index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
    assert large.hits <= small.hits * case.more, f"{small}\n\n{large}"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_nothing_is_sorted_but_the_page(graph: Graph, readers: list[Reader], case: Case) -> None:
    profile = await profiled(graph.database, query(case.query), case.asked(readers[-1]))
    for step, feeding in zip(profile.steps, profile.steps[1:], strict=False):
        # An operator stands before the one that feeds it.
        if SORTS.search(step.operator):
            assert feeding.rows <= 40, str(profile)


async def test_looking_up_a_message_costs_the_same_however_many_got_it(graph: Graph, agents: Agents) -> None:
    """A message to everyone has as many deliveries as there are agents; a right is found without walking them."""
    ada, bea, *many = await agents("ada", "bea", *(f"reader{number}" for number in range(98)))
    narrow = await agents.send(ada, bea)
    wide = await agents.send(ada, bea, *many)
    for name in ("messages/cards", "mailbox/deliveries"):
        few, all_ = [
            await profiled(graph.database, query(name), {"ids": [id_], **Caller.alone(bea).parameters, "mailbox": bea})
            for id_ in (narrow, wide)
        ]
        assert len(all_.rows) == 1
        assert all_.hits <= few.hits + 10, f"{few}\n\n{all_}"
    stranger = await profiled(
        graph.database, query("messages/cards"), {"ids": [wide], **Caller.alone("@nobody").parameters}
    )
    assert stranger.rows == []
    assert stranger.hits <= 30, str(stranger)


@pytest.mark.parametrize("threaded", [False, True], ids=["a new thread", "a thread it takes part in"])
async def test_checking_a_send_costs_the_same_however_large_the_sender_s_mailbox(
    graph: Graph, readers: list[Reader], threaded: bool
) -> None:
    def draft(reader: Reader) -> dict[str, Any]:
        return {
            "row": 0,
            "sender": reader.handle,
            "key": "once",
            "parent": reader.sample[0],
            "thread": reader.thread if threaded else None,
            "origin": "watch-1",
            "related": ["watch-1"],
            "memories": [],
        }

    small, large = [
        await profiled(graph.database, query("writing/facts"), {"batch": {"drafts": [draft(reader)]}})
        for reader in readers
    ]
    for profile in (small, large):
        assert profile.rows[0]["participates"] is threaded
        assert profile.rows[0]["parent"]["visible"]
        assert profile.hits <= 150, str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
