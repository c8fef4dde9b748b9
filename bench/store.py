"""The store that is measured: built by the write path in batches, one mailbox holding half of all mail."""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graph.bootstrap import Graph
from graph.database import Transaction
from graph.engine import Progress
from graph.errors import Refused
from graph.identities import NewIdentity, register
from graph.keys import Scope
from graph.marking import mark_read
from graph.rules.drafts import MessageInput, check_draft
from graph.rules.planning import Duplicate, FreshIds, PlannedMessage
from graph.writing import Outcome, Submission, submit

READER = "@reader"
PEERS = [f"@peer-{number:02}" for number in range(50)]
TAGS = [f"topic-{number:02}" for number in range(30)]
#: Messages of a thread; one message in five is in such a thread, the rest stand alone.
THREAD_LENGTH, THREADED = 20, 5
#: Messages of a transaction, and transactions at once: while one is written, the next is prepared.
BATCH, COMMITTERS = 500, 2
#: The fewest messages of which there is still a full page of each kind.
LEAST = 500
BODY = "The tide turned at noon; what is still to do stands in the log, with the reasons. " * 5


@dataclass
class Store:
    """A graph that grows to one size after the other. ``rate`` is the last growth's messages a second."""

    graph: Graph
    size: int = 0
    rate: float = 0.0
    threads: list[str] = field(default_factory=list)
    _chance: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - alike in every run
    _sent: int = 0

    async def prepare(self) -> str:
        """Register everybody and return a key of the reader."""
        graph = self.graph
        for handle in (READER, *PEERS):
            await register(graph.database, graph.clock, NewIdentity(handle), graph.limits)
        return (await graph.keys.issue(graph.database, graph.clock, READER, {Scope.AGENT})).secret.get_secret_value()

    async def grow(self, size: int, progress: Progress) -> None:
        """Write mail until there are ``size`` messages, then read half of what came to the reader."""
        more = size - self.size
        conversations = more // THREADED // THREAD_LENGTH
        progress.start(more, f"Writing messages up to {size:,}")
        began = time.monotonic()
        written = await self._converse(conversations, progress)
        written += await self._write([self._single() for _ in range(more - len(written))], progress)
        self.rate = more / (time.monotonic() - began)
        self.size = size
        progress.done()
        received = [message.id for message in written if READER in dict(message.deliveries)]
        await self._read(received[::2], progress)

    def letter(self) -> MessageInput:
        """Return a message to one of the peers, with a key that no other has."""
        return self._message(self._chance.choice(PEERS))

    def submission(self) -> Submission:
        """Return such a message of the reader's, on its way."""
        return self._submission(READER, self.letter())

    def _message(self, to: str, in_reply_to: str | None = None) -> MessageInput:
        """Return a message of usual size with three tags."""
        self._sent += 1
        return MessageInput(
            to=(to,),
            subject="The watch at noon",
            body_text=BODY,
            in_reply_to=in_reply_to,
            tags=tuple(self._chance.sample(TAGS, 3)),
            idempotency_key=f"bench-{self._sent}",
        )

    def _submission(self, sender: str, said: MessageInput) -> Submission:
        return Submission(check_draft(sender, said, self.graph.limits), FreshIds.made(self.graph.clock.now()))

    def _single(self) -> Submission:
        """Return a message between peers, or, as often, from a peer to the reader."""
        sender, other = self._chance.sample(PEERS, 2)
        return self._submission(sender, self._message(READER if self._sent % 2 else other))

    async def _converse(self, conversations: int, progress: Progress) -> list[PlannedMessage]:
        """Write that many threads: a peer begins, and the reader and the peer answer in turn."""
        last: list[PlannedMessage] = []
        written: list[PlannedMessage] = []
        for turn in range(THREAD_LENGTH):
            answers = [self._answer(message, by_reader=turn % 2 == 1) for message in last]
            begins = [self._submission(self._chance.choice(PEERS), self._message(READER)) for _ in range(conversations)]
            last = await self._write(answers if turn else begins, progress)
            written += last
        self.threads += [message.thread for message in last]
        return written

    def _answer(self, message: PlannedMessage, *, by_reader: bool) -> Submission:
        sender = READER if by_reader else message.deliveries[0][0]
        return self._submission(sender, self._message(message.draft.sender, message.id))

    async def _write(self, submissions: Sequence[Submission], progress: Progress) -> list[PlannedMessage]:
        """Write messages in batches and return them in their order."""
        slots = asyncio.Semaphore(COMMITTERS)

        async def commit(batch: Sequence[Submission]) -> list[PlannedMessage]:
            async def work(tx: Transaction) -> list[Outcome]:
                return await submit(tx, batch)

            async with slots:
                outcomes = await self.graph.database.write(work)
            progress.advance(len(batch))
            return [_planned(outcome) for outcome in outcomes]

        batches = await asyncio.gather(*map(commit, _in_batches(submissions)))
        return [message for batch in batches for message in batch]

    async def _read(self, messages: Sequence[str], progress: Progress) -> None:
        progress.start(len(messages), "Reading half of the mailbox")
        for start in range(0, len(messages), BATCH):
            batch = messages[start : start + BATCH]
            await mark_read(self.graph.database, self.graph.clock, READER, batch)
            progress.advance(len(batch))
        progress.done()


def _in_batches(items: Sequence[Submission]) -> Iterator[Sequence[Submission]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def _planned(outcome: Outcome) -> PlannedMessage:
    match outcome:
        case PlannedMessage():
            return outcome
        case Refused():
            raise outcome
        case Duplicate():
            raise RuntimeError(f"The message {outcome.id} was written before; its key should be new.")
