"""The store that is measured: built by the write path in batches, one mailbox holding half of all mail."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import TypeAlias

import typer

from bench.letters import PEERS, RARE, READER, SEA, SHORE, Letters
from graph.bootstrap import Graph
from graph.database import Transaction
from graph.engine import Progress
from graph.errors import Refused
from graph.identities import NewIdentity, register
from graph.keys import Scope
from graph.marking import mark_read
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.planning import Duplicate, FreshIds
from graph.writing import Outcome, Submission, submit

#: Messages of a thread; one message in five is in such a thread, the rest stand alone.
THREAD_LENGTH, THREADED = 20, 5
#: Messages of a transaction. While one is written, the next is prepared.
BATCH = 500
#: The rate is also told for the last so many messages.
LAST = 100_000
#: The fewest messages of which there is still a full page of each kind.
LEAST = 1_000


Letter: TypeAlias = Callable[[str], MessageInput]


def sizes_of(written: str) -> list[int]:
    """Return the sizes that a command line names, the smallest first. Raises typer.BadParameter."""
    try:
        sizes = sorted({int(size) for size in written.replace("_", "").split(",")})
    except ValueError:
        raise typer.BadParameter(f"{written!r} is not a list of numbers such as 1000,100000.") from None
    if sizes[0] < LEAST:
        raise typer.BadParameter(f"{sizes[0]} messages are too few to measure; the least is {LEAST}.")
    return sizes


@dataclass(frozen=True, slots=True)
class Loaded:
    """Messages a second while the store grew to ``size``: over all that were added, and over the last 100,000."""

    size: int
    per_second: float
    per_second_last: float


@dataclass
class Store:
    """A graph that grows to one size after the other."""

    graph: Graph
    size: int = 0
    threads: list[str] = field(default_factory=list)
    letters: Letters = field(default_factory=lambda: Letters("bench"))
    _unread: list[str] = field(default_factory=list)
    _written: list[tuple[float, int]] = field(default_factory=lambda: [(time.monotonic(), 0)])

    async def prepare(self) -> dict[str, str]:
        """Register everybody and return a key of each, by handle."""
        return {handle: await self.introduce(handle, Scope.AGENT) for handle in (READER, *PEERS)}

    async def introduce(self, handle: str, scope: Scope) -> str:
        """Register an agent who is not known yet, and return a key of that scope."""
        graph = self.graph
        with suppress(Refused):
            await register(graph.database, graph.clock, NewIdentity(handle), graph.limits)
        issued = await graph.keys.issue(graph.database, graph.clock, handle, {scope})
        return issued.secret.get_secret_value()

    async def grow(self, size: int, progress: Progress) -> Loaded:
        """Write mail until there are ``size`` messages, then read half of what came to the reader."""
        more = size - self.size
        conversations = more // THREADED // THREAD_LENGTH
        threaded = conversations * THREAD_LENGTH
        to_reader = more // 2 - threaded // 2
        progress.start(more, f"Writing messages up to {size:,}")
        self._written = [(time.monotonic(), self.size)]
        shore = chain(self._conversations(conversations), self._to_reader(to_reader))
        sea = self._submitted(self._said(more - threaded - to_reader, SEA, None, self.letters.letter))
        await self.load((shore, sea), progress)
        progress.done()
        self.size = size
        loaded = Loaded(size, self._rate(0), self._rate(size - LAST))
        await self._read(progress)
        return loaded

    def streams(self, count: int, letter: Letter) -> list[Iterator[list[Submission]]]:
        """Give ``count`` messages made by ``letter`` in two streams that may run at once, the first to the reader.

        What they say is made up at once; it is checked as it is written.
        """
        shore = list(self._said(count // 2, SHORE, READER, letter))
        sea = list(self._said(count - count // 2, SEA, None, letter))
        return [self._submitted(shore), self._submitted(sea)]

    async def load(self, streams: Iterable[Iterator[list[Submission]]], progress: Progress) -> None:
        """Write every stream, all of them at the same time."""
        async with asyncio.TaskGroup() as group:
            for stream in streams:
                group.create_task(self._load(stream, progress))

    def submission(self, sender: str, said: MessageInput, at: datetime | None = None) -> Submission:
        """Return a message on its way, which is of the present moment unless it says when."""
        return Submission(check_draft(sender, said, self.graph.limits), FreshIds.made(at or self.graph.clock.now()))

    def _rate(self, since: int) -> float:
        began, before = next(
            moment for moment in reversed(self._written) if moment[1] <= max(since, self._written[0][1])
        )
        ended, after = self._written[-1]
        return (after - before) / (ended - began)

    def _conversations(self, count: int) -> Iterator[list[Submission]]:
        """Give batches of threads: one of the shore begins, and the reader and that one answer in turn."""
        for start in range(0, count, BATCH):
            begun = [self.letters.two_of(SHORE)[0] for _ in range(min(BATCH, count - start))]
            last = [self.submission(peer, self.letters.letter(READER)) for peer in begun]
            self.threads += [message.ids.thread for message in last]
            self._note_unread(last)
            yield last
            for turn in range(1, THREAD_LENGTH):
                last = [
                    self.submission(*self._answer(peer, message.ids.message, by_reader=turn % 2 == 1))
                    for peer, message in zip(begun, last, strict=True)
                ]
                self._note_unread(last if turn % 2 == 0 else ())
                yield last

    def _answer(self, peer: str, parent: str, *, by_reader: bool) -> tuple[str, MessageInput]:
        sender, to = (READER, peer) if by_reader else (peer, READER)
        return sender, self.letters.letter(to, in_reply_to=parent)

    def _to_reader(self, count: int) -> Iterator[list[Submission]]:
        for start in range(0, count, BATCH):
            batch = [
                self.submission(
                    self.letters.two_of(SHORE)[0],
                    self.letters.letter(READER, rare=self.size == 0 and number < RARE),
                )
                for number in range(start, min(start + BATCH, count))
            ]
            self._note_unread(batch)
            yield batch

    def _said(
        self, count: int, senders: list[str], to: str | None, letter: Letter
    ) -> Iterator[list[tuple[str, MessageInput]]]:
        """Give batches of what the senders say, to one mailbox or to each other."""
        for start in range(0, count, BATCH):
            pairs = [self.letters.two_of(senders) for _ in range(min(BATCH, count - start))]
            yield [(sender, letter(to or peer)) for sender, peer in pairs]

    def _submitted(self, batches: Iterable[list[tuple[str, MessageInput]]]) -> Iterator[list[Submission]]:
        for batch in batches:
            yield [self.submission(sender, said) for sender, said in batch]

    def _note_unread(self, messages: Sequence[Submission]) -> None:
        self._unread += [message.ids.message for message in messages]

    async def _load(self, batches: Iterator[list[Submission]], progress: Progress) -> None:
        writing: asyncio.Task[None] | None = None
        # Each batch is made while the one before it is written.
        for batch in batches:
            if writing is not None:
                await writing
            writing = asyncio.create_task(self._write(batch, progress))
            await asyncio.sleep(0)
        if writing is not None:
            await writing

    async def _write(self, batch: Sequence[Submission], progress: Progress) -> None:
        async def work(tx: Transaction) -> list[Outcome]:
            return await submit(tx, batch)

        for outcome in await self.graph.database.write(work):
            match outcome:
                case Refused():
                    raise outcome
                case Duplicate():
                    raise RuntimeError(f"The message {outcome.id} was written before; its key should be new.")
        self._written.append((time.monotonic(), self._written[-1][1] + len(batch)))
        progress.advance(len(batch))

    async def _read(self, progress: Progress) -> None:
        """Read every second message that came to the reader since the last time."""
        messages, self._unread = self._unread[::2], []
        progress.start(len(messages), "Reading half of the mailbox")
        for start in range(0, len(messages), BATCH):
            batch = messages[start : start + BATCH]
            await mark_read(self.graph.database, self.graph.clock, READER, batch)
            progress.advance(len(batch))
        progress.done()
