"""Group commit: sends that come at the same time share a transaction, because most of what one costs is its own.

A send that finds nobody else here runs at once, in the task of its caller. Whatever comes while transactions run waits
and goes into the next one, in the order of arrival, up to a bound. Each waiter gets its own outcome: a refused message
drops out alone, and when a shared transaction fails, its messages are sent again one by one, so that only the one that
cannot be written fails.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Sequence
from contextvars import Context
from copy import copy
from dataclasses import dataclass

from graph.database import Database, Transaction, note_written
from graph.errors import DatabaseLoginFailed, DatabaseTimeout, DatabaseUnreachable
from graph.rules.addresses import EVERYONE
from graph.writing import Outcome, Submission, submit

log = logging.getLogger(__name__)

#: Messages that share a transaction, unless a setting says otherwise; and transactions that run at once.
TOGETHER, PARALLEL = 64, 2
#: Text that shares a transaction, in characters: a few large messages are as much as many small ones.
CHARACTERS = 4 * 1024 * 1024
#: A broadcast counts as so many messages: it is one, but it has an entry in every mailbox.
BROADCAST_WEIGHT = 16

# The database is away, or slow: that is no message's fault, and asking again for each would only take longer.
_NOBODYS_FAULT = (DatabaseUnreachable, DatabaseLoginFailed, DatabaseTimeout)


@dataclass(eq=False, slots=True)
class _Waiter:
    """The submissions of one caller, which share a transaction in any case, and where their outcomes go."""

    submissions: Sequence[Submission]
    outcomes: asyncio.Future[list[Outcome]]

    @property
    def senders(self) -> set[str]:
        return {submission.draft.sender for submission in self.submissions}

    @property
    def weight(self) -> int:
        drafts = [submission.draft for submission in self.submissions]
        return sum(BROADCAST_WEIGHT if EVERYONE in draft.recipients else 1 for draft in drafts)

    @property
    def characters(self) -> int:
        return sum(len(submission.draft.body_text) for submission in self.submissions)


class Committer:
    """Writes what is sent through one process. ``together`` 1 gives each caller a transaction of its own."""

    def __init__(self, database: Database, *, together: int = TOGETHER, parallel: int = PARALLEL) -> None:
        self.database = database
        self._together = together
        self._parallel = parallel
        self._waiting: deque[_Waiter] = deque()
        self._running = 0
        # The senders whose messages are being written: what else they send waits, so that it arrives in their order.
        self._busy: Counter[str] = Counter()
        self._batches: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    async def submit(self, submissions: Sequence[Submission]) -> list[Outcome]:
        """Write the drafts in one transaction, perhaps with others', and return one outcome for each, in order.

        Raises DatabaseError. Whoever is cancelled while waiting has sent nothing, or all of it.
        """
        self._idle.clear()
        if self._together == 1:
            return await self._ungrouped(submissions)
        waiter = _Waiter(submissions, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        try:
            # Whoever is woken in the same turn of the event loop, as those of the last transaction are, comes along.
            await asyncio.sleep(0)
            if len(self._waiting) == 1 and self._waiting[0] is waiter and self._may_begin(waiter):
                return await self._alone(waiter)
            self._begin()
            outcomes = await waiter.outcomes
        except asyncio.CancelledError:
            # What waits is dropped; what is being written goes on, with the others that are in the same transaction.
            waiter.outcomes.cancel()
            self._begin()
            raise
        note_written()
        return outcomes

    async def close(self) -> None:
        """Wait until everything that was accepted is written."""
        await self._idle.wait()

    def _may_begin(self, waiter: _Waiter) -> bool:
        return self._running < self._parallel and self._busy.keys().isdisjoint(waiter.senders)

    async def _ungrouped(self, submissions: Sequence[Submission]) -> list[Outcome]:
        self._running += 1
        try:
            return await self._write(submissions)
        finally:
            self._running -= 1
            self._begin()

    async def _alone(self, waiter: _Waiter) -> list[Outcome]:
        """Write in the caller's own task, which costs nothing more than if there were no other."""
        self._waiting.clear()
        self._enter([waiter])
        try:
            return await self._write(waiter.submissions)
        finally:
            self._leave([waiter])

    def _begin(self) -> None:
        """Begin as many transactions as may run, and tell who closes when there is nothing left."""
        while self._running < self._parallel and (batch := self._next_batch()):
            self._enter(batch)
            # A context of its own: the batch belongs to none of its callers.
            task = asyncio.get_running_loop().create_task(self._share(batch), context=Context())
            self._batches.add(task)
            task.add_done_callback(self._batches.discard)
        if not self._running and not self._waiting:
            self._idle.set()

    def _next_batch(self) -> list[_Waiter]:
        """Take from those who wait the first whose senders are free, up to the bounds; at least one if there is one."""
        batch: list[_Waiter] = []
        staying: deque[_Waiter] = deque()
        blocked = set(self._busy)
        weight = characters = 0
        while self._waiting:
            waiter = self._waiting.popleft()
            if waiter.outcomes.done():
                continue
            full = batch and (weight + waiter.weight > self._together or characters + waiter.characters > CHARACTERS)
            if full:
                staying.append(waiter)
                break
            if not blocked.isdisjoint(waiter.senders):
                blocked |= waiter.senders
                staying.append(waiter)
                continue
            batch.append(waiter)
            weight += waiter.weight
            characters += waiter.characters
        self._waiting.extendleft(reversed(staying))
        return batch

    async def _share(self, batch: list[_Waiter]) -> None:
        """Write a batch and give each waiter what became of theirs. Raises nothing but being cancelled."""
        try:
            outcomes = await self._write([submission for waiter in batch for submission in waiter.submissions])
        except asyncio.CancelledError:
            for waiter in batch:
                waiter.outcomes.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it is raised again, where the callers wait
            await self._failed(batch, error)
        else:
            position = 0
            for waiter in batch:
                end = position + len(waiter.submissions)
                _give(waiter, outcomes[position:end])
                position = end
        finally:
            self._leave(batch)

    async def _failed(self, batch: list[_Waiter], error: Exception) -> None:
        """Write what failed together one by one. The transaction was rolled back, so nothing is written twice.

        Where the database is away or too slow, each waiter gets that error: it may or may not have been written.
        """
        remaining = deque(batch)
        if len(batch) > 1:
            log.info("A transaction of %d sends failed (%s).", len(batch), error)
            while remaining and not isinstance(error, _NOBODYS_FAULT):
                waiter = remaining.popleft()
                if waiter.outcomes.done():
                    continue
                try:
                    _give(waiter, await self._write(waiter.submissions))
                except Exception as own:  # noqa: BLE001 - it is raised again, where the caller waits
                    error = own
                    _fail(waiter, own)
        for waiter in remaining:
            # Each gets an exception of its own, with its own traceback.
            _fail(waiter, copy(error))

    async def _write(self, submissions: Sequence[Submission]) -> list[Outcome]:
        async def work(tx: Transaction) -> list[Outcome]:
            return await submit(tx, submissions)

        return await self.database.write(work)

    def _enter(self, batch: list[_Waiter]) -> None:
        self._running += 1
        for waiter in batch:
            self._busy.update(waiter.senders)

    def _leave(self, batch: list[_Waiter]) -> None:
        self._running -= 1
        for waiter in batch:
            self._busy.subtract(waiter.senders)
        self._busy = +self._busy
        self._begin()


def _give(waiter: _Waiter, outcomes: list[Outcome]) -> None:
    # Done already is one that was cancelled: its client went away.
    if not waiter.outcomes.done():
        waiter.outcomes.set_result(outcomes)


def _fail(waiter: _Waiter, error: Exception) -> None:
    if not waiter.outcomes.done():
        waiter.outcomes.set_exception(error)
