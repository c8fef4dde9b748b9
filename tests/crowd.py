"""Mailboxes of two sizes among unrelated mail, written by the write path in batches, for the tests that read plans."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph.bootstrap import Graph
from graph.clock import Clock
from graph.database import Transaction
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.planning import FreshIds, PlannedMessage
from graph.rules.tags import HANDOVER_TAG
from graph.writing import Outcome, Submission, submit
from tests.support import Agents, message

BATCH = 250


@dataclass(frozen=True)
class Reader:
    """Somebody with ``size`` entries in the inbox, a good half of them unread, and as many messages sent.

    Of the entries every fourth is by ``friend`` and every fourth is tagged ``tag``; ``thread`` is one of 40 messages,
    the first of which, ``opening``, has the others as replies. On top of them lie a fourth as many pending handovers.
    ``sample`` are the ids of 20 messages in the inbox that are in no other respect different from each other.
    """

    handle: str
    friend: str
    stranger: str
    size: int
    tag: str
    thread: str
    opening: str
    sample: tuple[str, ...]


class Ticking:
    """A clock that began an hour ago and moves a millisecond each time it is asked: ids sort as they were made."""

    def __init__(self, present: datetime) -> None:
        self._last = present - timedelta(hours=1)

    def now(self) -> datetime:
        """Return the next moment."""
        self._last += timedelta(milliseconds=1)
        return self._last


async def bulk(graph: Graph, clock: Clock, sender: str, said: Sequence[MessageInput]) -> list[PlannedMessage]:
    """Send many messages of one sender, in their order."""
    drafts = [Submission(check_draft(sender, one, graph.limits), FreshIds.made(clock.now())) for one in said]
    written: list[PlannedMessage] = []
    for batch in in_batches(drafts, BATCH):

        async def work(tx: Transaction, batch: Sequence[Submission] = batch) -> list[Outcome]:
            return await submit(tx, batch)

        for outcome in await graph.database.write(work):
            assert isinstance(outcome, PlannedMessage), outcome
            written.append(outcome)
    return written


def in_batches(items: Sequence[Submission], size: int) -> Iterator[Sequence[Submission]]:
    """Cut a sequence into parts of at most ``size``."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


async def reader(graph: Graph, agents: Agents, size: int) -> Reader:
    """Make such a reader. Friend and stranger are new as well, and write to each other too."""
    clock = Ticking(graph.clock.now())
    handle, friend, stranger = await agents(f"reader{size}", "friend", "stranger")
    (opening,) = await bulk(graph, clock, friend, [message(handle, tags=("log", "daily"))])
    await bulk(graph, clock, friend, [message(handle, in_reply_to=opening.id, tags=("daily",))] * 39)
    await bulk(graph, clock, friend, [message(handle, stranger, tags=("daily", "plan"))] * (size // 4 - 40))
    every_third = [("daily", "log"), ("daily",), ("daily",)]
    others = [message(handle, friend, tags=every_third[number % 3]) for number in range(size - size // 4)]
    by_stranger = await bulk(graph, clock, stranger, others)
    await bulk(graph, clock, handle, [message(stranger, tags=("daily",))] * size)
    hand_over = message(handle, tags=(HANDOVER_TAG,), origin_session="watch-1")
    # The first one opens the session that the others come from.
    await bulk(graph, clock, handle, [hand_over])
    await bulk(graph, clock, handle, [hand_over] * (size // 4 - 1))
    odd = [one.id for one in by_stranger[1::2]]
    for start in range(0, len(odd), graph.limits.batch_ids):
        await agents.read(handle, *odd[start : start + graph.limits.batch_ids])
    sample = tuple(one.id for one in by_stranger[:60:3])
    return Reader(handle, friend, stranger, size, "log", opening.thread, opening.id, sample)
