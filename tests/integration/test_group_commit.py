"""Sends that share transactions, on the real database (issue 4, what it must show 2; decision 0011)."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from graph import committing
from graph.bootstrap import Graph
from graph.committing import Committer
from graph.database import Transaction
from graph.errors import DatabaseError, RefusalCode, Refused, UnknownAddress
from graph.queries import Query
from graph.sending import Sent, send_message
from graph.writing import Outcome, Submission, submit
from tests.soak.audit import faults, mailbox_audit, sent_messages
from tests.support import Agents, message

SENDERS = 32
BROKEN = Query("test/broken", "// Fails in the database itself. No parameters, no rows.\nRETURN 1 / 0 AS nothing")


@pytest.fixture(autouse=True)
def no_transaction_was_tried_twice(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which writers got in each other's way: the order of locks leaves no cause for it."""
    with caplog.at_level(logging.WARNING, logger="graph.database"):
        yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.name == "graph.database"] == []


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the sizes of the transactions that are written from here on; a subject 'poison' breaks its own."""
    sizes: list[int] = []

    async def counted(tx: Transaction, submissions: Sequence[Submission]) -> list[Outcome]:
        sizes.append(len(submissions))
        outcomes = await submit(tx, submissions)
        if any(submission.draft.subject == "poison" for submission in submissions):
            await tx.run(BROKEN)
        return outcomes

    monkeypatch.setattr(committing, "submit", counted)
    return sizes


async def test_32_senders_share_transactions_and_one_mailbox_has_no_gap(agents: Agents, batches: list[int]) -> None:
    (hot,) = await agents("hot")
    senders = await agents(*(f"sender{number}" for number in range(SENDERS)))

    async def sends(sender: str) -> None:
        for number in range(6):
            await agents.send(sender, hot, subject=f"{sender} {number}", tags=("tide",), idempotency_key=str(number))

    await asyncio.gather(*map(sends, senders))

    assert sum(batches) == 6 * SENDERS
    assert len(batches) < 2 * SENDERS, "most sends shared a transaction"
    assert await faults(agents.graph.database, [hot, *senders]) == []
    box = await mailbox_audit(agents.graph.database, hot)
    assert [entry.uid for entry in box.entries] == list(range(1, 6 * SENDERS + 1))
    by_sender: dict[str, list[int]] = {}
    for entry in reversed(await agents.entries(hot)):
        sender, number = entry.message.subject.split()
        by_sender.setdefault(sender, []).append(int(number))
    assert by_sender == {sender: list(range(6)) for sender in senders}, "what one sends arrives in that order"


async def test_what_one_sender_sends_at_once_arrives_in_the_order_it_was_begun(agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    await asyncio.gather(*(agents.send(ada, bea, subject=str(number)) for number in range(100)))
    subjects = [entry.message.subject for entry in reversed(await agents.entries(bea))]
    assert subjects == [str(number) for number in range(100)]


async def test_a_message_that_cannot_be_written_fails_alone(agents: Agents, batches: list[int]) -> None:
    ada, bea = await agents("ada", "bea")
    subjects = [f"good {number}" for number in range(9)] + ["poison"]
    answers = await asyncio.gather(
        *(agents.send(ada, bea, subject=subject) for subject in subjects), return_exceptions=True
    )
    assert [isinstance(answer, str) for answer in answers] == [True] * 9 + [False]
    assert isinstance(answers[-1], DatabaseError)
    assert batches == [10] + [1] * 10
    assert await faults(agents.graph.database, [ada, bea]) == []
    assert set((await mailbox_audit(agents.graph.database, bea)).messages) == set(answers[:-1])


async def test_refusals_and_retries_of_one_batch_are_as_if_sent_in_turn(agents: Agents, batches: list[int]) -> None:
    """DESIGN §3.9: the same key and content is the same message, other content a conflict; a session opens once."""
    ada, bea = await agents("ada", "bea")
    said = [
        message(bea, idempotency_key="tide", origin_session="watch-1"),
        message(bea, idempotency_key="tide", origin_session="watch-1"),
        message(bea, idempotency_key="tide", origin_session="watch-1", body_text="Low water at six."),
        message("@nobody-here", idempotency_key="ebb"),
        message(bea, idempotency_key="ebb", origin_session="watch-1", related_sessions=("watch-1",)),
    ]
    answers = await asyncio.gather(*(agents.submit(ada, one) for one in said), return_exceptions=True)
    assert batches == [5]
    first, again, other, unknown, last = answers
    assert isinstance(first, Sent)
    assert (first.duplicate, again) == (False, Sent(first.message, duplicate=True))
    assert isinstance(other, Refused)
    assert other.refusal is RefusalCode.IDEMPOTENCY_CONFLICT
    assert isinstance(unknown, UnknownAddress)
    assert isinstance(last, Sent), "a refused draft has not used its key"
    assert (await sent_messages(agents.graph.database, [ada])).keys() == {first.message, last.message}
    assert await faults(agents.graph.database, [ada, bea]) == []
    # Sent again, alone, each finds what the batch left.
    for one, known in ((said[0], first), (said[4], last)):
        assert await agents.submit(ada, one) == Sent(known.message, duplicate=True)


async def test_a_client_that_goes_away_leaves_its_message_whole_or_not_there(agents: Agents) -> None:
    ada, bea, *others = await agents("ada", "bea", *(f"other{number}" for number in range(8)))
    tasks = [asyncio.create_task(agents.send(sender, bea)) for sender in others for _ in range(5)]
    await asyncio.sleep(0.005)
    for task in tasks[::3]:
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    await agents.graph.committer.close()
    sent = {answer for answer in answers if isinstance(answer, str)}
    assert Counter(type(answer) for answer in answers) <= Counter(
        {str: len(tasks), asyncio.CancelledError: len(tasks[::3])}
    )
    assert sent <= set((await mailbox_audit(agents.graph.database, bea)).messages)
    assert await faults(agents.graph.database, [ada, bea, *others]) == []


async def test_a_closed_committer_has_written_what_it_accepted(agents: Agents, graph: Graph) -> None:
    ada, bea = await agents("ada", "bea")
    committer = Committer(graph.database, parallel=1)
    tasks = [
        asyncio.create_task(send_message(committer, graph.clock, ada, message(bea), graph.limits)) for _ in range(20)
    ]
    await asyncio.sleep(0)
    await committer.close()
    assert len((await mailbox_audit(graph.database, bea)).messages) == len(tasks)
    await asyncio.gather(*tasks)
