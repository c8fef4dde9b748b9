"""Group commit without a database: who shares a transaction with whom, and who hears of a failure (decision 0011)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import pytest

from graph import committing
from graph.committing import Committer
from graph.database import Database, Transaction
from graph.errors import DatabaseConflict, DatabaseError, DatabaseTimeout, DatabaseUnreachable
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.limits import MessageLimits
from graph.rules.planning import Duplicate, FreshIds
from graph.writing import Outcome, Submission

T = TypeVar("T")
CALLER: ContextVar[str] = ContextVar("caller", default="nobody")


class Gated:
    """Stands for a database: each transaction waits until it is let through, and may fail for what is in it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[list[str]] = []
        self.written: list[list[str]] = []
        self.callers: list[str] = []
        self.poison: dict[str, Exception] = {}
        self._gate = asyncio.Semaphore(0)
        monkeypatch.setattr(committing, "submit", self._submit)

    async def write(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run ``work`` as a transaction."""
        return await work(cast("Transaction", None))

    async def _submit(self, _: Transaction, submissions: Sequence[Submission]) -> list[Outcome]:
        subjects = [submission.draft.subject for submission in submissions]
        self.begun.append(subjects)
        self.callers.append(CALLER.get())
        await self._gate.acquire()
        for subject in subjects:
            if subject in self.poison:
                raise self.poison[subject]
        self.written.append(subjects)
        return [Duplicate(subject) for subject in subjects]

    def let(self, transactions: int = 1) -> None:
        """Let so many transactions through."""
        for _ in range(transactions):
            self._gate.release()

    def committer(self, **options: int) -> Committer:
        """Return a committer that writes here."""
        return Committer(cast("Database", self), **options)


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Gated:
    """Return a database that lets nothing through yet."""
    return Gated(monkeypatch)


def submission(subject: str, sender: str | None = None, to: str = "@bea", body: str = "") -> Submission:
    """Return a draft on its way; the subject names it, and its sender unless that is said."""
    draft = check_draft(sender or f"@{subject}", MessageInput(subject, body, (to,)), MessageLimits())
    return Submission(draft, FreshIds.made(datetime(2026, 1, 1, tzinfo=UTC)))


async def settle() -> None:
    """Let everybody who can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def begin(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start something and let it come as far as it can."""
    task = asyncio.create_task(work)
    await settle()
    return task


async def test_a_lone_send_runs_in_the_task_of_its_caller(database: Gated) -> None:
    CALLER.set("a lone one")
    database.let()
    assert await database.committer().submit([submission("one")]) == [Duplicate("one")]
    assert database.callers == ["a lone one"]


async def test_what_comes_while_a_transaction_runs_shares_the_next_in_the_order_it_came(database: Gated) -> None:
    committer = database.committer(parallel=1)
    tasks = [await begin(committer.submit([submission(f"m{number}")])) for number in range(5)]
    assert database.begun == [["m0"]]
    database.let()
    await settle()
    assert database.begun == [["m0"], ["m1", "m2", "m3", "m4"]]
    database.let()
    assert await asyncio.gather(*tasks) == [[Duplicate(f"m{number}")] for number in range(5)]
    assert database.callers[1] == "nobody", "a batch belongs to none of its callers"


async def test_whoever_comes_in_the_same_moment_shares_from_the_start(database: Gated) -> None:
    committer = database.committer()
    database.let()
    await asyncio.gather(*(committer.submit([submission(f"m{number}")]) for number in range(3)))
    assert database.written == [["m0", "m1", "m2"]]


@pytest.mark.parametrize(
    ("waiting", "options", "expected"),
    [
        ([submission(f"m{n}") for n in range(5)], {"together": 2}, [["m0", "m1"], ["m2", "m3"], ["m4"]]),
        ([submission(f"m{n}", to="@all") for n in range(3)], {"together": 32}, [["m0", "m1"], ["m2"]]),
        ([submission("m0", body="x" * 1000), submission("m1", body="x" * 9)], {}, [["m0"], ["m1"]]),
    ],
)
async def test_a_transaction_is_bounded_by_messages_entries_and_text(
    database: Gated,
    monkeypatch: pytest.MonkeyPatch,
    waiting: list[Submission],
    options: dict[str, int],
    expected: list[list[str]],
) -> None:
    monkeypatch.setattr(committing, "CHARACTERS", 1000)
    committer = database.committer(parallel=1, **options)
    database.let(10)
    await asyncio.gather(*(committer.submit([one]) for one in waiting))
    assert database.written == expected


async def test_messages_of_one_sender_are_never_in_two_transactions_at_once(database: Gated) -> None:
    committer = database.committer(parallel=2)
    tasks = [
        await begin(committer.submit([submission(subject, sender)]))
        for subject, sender in [("a1", "@ada"), ("a2", "@ada"), ("b1", "@bea"), ("a3", "@ada"), ("c1", "@cy")]
    ]
    assert database.begun == [["a1"], ["b1"]]
    database.let(4)
    await asyncio.gather(*tasks)
    assert database.written == [["a1"], ["b1"], ["a2", "a3", "c1"]]


async def test_each_alone_when_nothing_is_to_be_shared(database: Gated) -> None:
    committer = database.committer(together=1)
    tasks = [await begin(committer.submit([submission(f"m{number}")])) for number in range(4)]
    assert len(database.begun) == 4
    database.let(4)
    await asyncio.gather(*tasks)


@pytest.mark.parametrize("error", [DatabaseConflict("taken"), DatabaseError("odd"), LookupError("gone"), ValueError()])
async def test_of_a_transaction_that_fails_only_the_guilty_message_fails(database: Gated, error: Exception) -> None:
    committer = database.committer()
    database.poison["m1"] = error
    database.let(5)
    answers = await asyncio.gather(
        *(committer.submit([submission(f"m{number}")]) for number in range(3)), return_exceptions=True
    )
    assert answers == [[Duplicate("m0")], error, [Duplicate("m2")]]
    assert database.written == [["m0"], ["m2"]]


@pytest.mark.parametrize("error", [DatabaseUnreachable("It may or may not be written."), DatabaseTimeout("Slow.")])
async def test_when_the_database_is_away_each_hears_it_once_and_nothing_is_sent_again(
    database: Gated, error: DatabaseError
) -> None:
    committer = database.committer()
    database.poison["m1"] = error
    database.let(5)
    answers = await asyncio.gather(
        *(committer.submit([submission(f"m{number}")]) for number in range(3)), return_exceptions=True
    )
    assert [(type(answer), str(answer)) for answer in answers] == [(type(error), error.message)] * 3
    assert len({id(answer) for answer in answers}) == 3
    assert len(database.begun) == 1


async def test_the_database_going_away_while_messages_are_sent_one_by_one_ends_that(database: Gated) -> None:
    committer = database.committer()
    database.poison |= {"m0": LookupError("gone"), "m1": DatabaseUnreachable("away")}
    database.let(9)
    answers = await asyncio.gather(
        *(committer.submit([submission(f"m{number}")]) for number in range(4)), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [LookupError, *[DatabaseUnreachable] * 3]
    assert database.begun == [["m0", "m1", "m2", "m3"], ["m0"], ["m1"]]


async def test_a_client_that_goes_away_takes_nobody_along(database: Gated) -> None:
    committer = database.committer(parallel=1)
    first = await begin(committer.submit([submission("m0")]))
    waiting = [await begin(committer.submit([submission(f"m{number}")])) for number in (1, 2, 3)]
    waiting[1].cancel()
    await settle()
    database.let()
    await first
    await settle()
    assert database.begun[1:] == [["m1", "m3"]], "what only waited is dropped"
    waiting[0].cancel()
    await settle()
    database.let()
    assert await waiting[2] == [Duplicate("m3")]
    assert database.written == [["m0"], ["m1", "m3"]], "what was being written is written"
    assert waiting[0].cancelled()
    assert waiting[1].cancelled()


async def test_a_lone_sender_who_goes_away_lets_the_next_ones_through(database: Gated) -> None:
    committer = database.committer(parallel=1)
    first = await begin(committer.submit([submission("m0")]))
    second = await begin(committer.submit([submission("m1")]))
    first.cancel()
    database.let()
    assert await second == [Duplicate("m1")]
    await committer.close()


async def test_closing_waits_for_what_was_accepted(database: Gated) -> None:
    committer = database.committer(parallel=1)
    await committer.close()
    tasks = [await begin(committer.submit([submission(f"m{number}")])) for number in range(3)]
    closing = await begin(committer.close())
    database.let()
    await settle()
    assert not closing.done()
    database.let()
    await closing
    assert database.written == [["m0"], ["m1", "m2"]]
    await asyncio.gather(*tasks)


async def test_several_messages_of_one_caller_stay_together_and_get_their_outcomes(database: Gated) -> None:
    committer = database.committer(together=3, parallel=1)
    database.let(9)
    many = [submission(f"m{number}", "@ada") for number in range(5)]
    answers = await asyncio.gather(committer.submit(many), committer.submit([submission("last")]))
    assert list(answers) == [[Duplicate(f"m{number}") for number in range(5)], [Duplicate("last")]]
    assert database.written == [[f"m{number}" for number in range(5)], ["last"]]
