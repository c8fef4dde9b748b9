"""What is walked: threads, years of mail, an office and two ends of a path, written once before the mail around them.

The reader is in the middle of it all, and half of what is written around it comes to him too: he is the hub.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from math import isqrt

from bench.letters import READER, SEA, SHORE, Letters
from bench.store import BATCH, Store
from graph.bootstrap import Graph
from graph.engine import Progress
from graph.keys import Scope
from graph.rules.drafts import MessageInput
from graph.rules.periods import Period
from graph.writing import Submission

ANALYST = "@analyst"
#: Who wrote to the reader for a year.
CHRONICLER, ANNALIST = "@chronicler", "@annalist"
#: One wrote to the reader, and the reader to the other: four edges, and nothing else between them.
NORTH, SOUTH = "@north", "@south"
#: They write in no long thread.
ASHORE, AT_SEA = SHORE[-1], SEA[0]

YEAR, WEEK = timedelta(days=365), timedelta(days=7)
#: The mail around the shapes is of the last month, a message each second; the office's week lies long before it.
AROUND, OFFICE = timedelta(days=30), timedelta(days=500)
#: Each clerk writes to so many others so many letters, and is answered so many of them.
FELLOWS, LETTERS, ANSWERS = 10, 3, 2
#: One letter of a year in so many is answered, an hour later.
ANSWERED, HOUR = 5, timedelta(hours=1)

_SECOND, _MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the shapes are: members of threads, letters of the two who write for a year, clerks of the office."""

    threads: Sequence[int] = (10, 1_000, 10_000)
    chronicler: int = 2_600
    annalist: int = 10_000
    clerks: int = 200

    @property
    def office(self) -> int:
        """How many messages the office writes in its week."""
        return self.clerks * FELLOWS * (LETTERS + ANSWERS)

    @property
    def messages(self) -> int:
        """How many messages all shapes are made of."""
        years = sum(letters + -(-letters // ANSWERED) for letters in (self.chronicler, self.annalist))
        return sum(self.threads) + years + self.office + 2


@dataclass
class Hours:
    """A clock that moves by a second each time it is asked: ids sort as they were made, one message a second."""

    present: datetime

    def now(self) -> datetime:
        """Return the next second."""
        self.present += _SECOND
        return self.present


@dataclass
class Shapes:
    """The shapes in a store whose clock is a month slow; ``members`` are the messages of each thread, by its size."""

    store: Store
    present: datetime
    sizes: Sizes = field(default_factory=Sizes)
    members: dict[int, list[str]] = field(default_factory=dict)
    threads: dict[int, str] = field(default_factory=dict)

    @classmethod
    def around(cls, graph: Graph, sizes: Sizes | None = None) -> "Shapes":
        """Return shapes that are still to be written, in a store of that graph which grows in the month before now."""
        present = graph.clock.now()
        store = Store(replace(graph, clock=Hours(present - AROUND)), letters=Letters("walks"))
        return cls(store, present, sizes or Sizes())

    @property
    def year(self) -> Period:
        """The year of those who wrote for one."""
        return Period(self.present - YEAR, self.present)

    @property
    def week(self) -> Period:
        """The week of the office."""
        began = self.present - OFFICE
        return Period(began, began + WEEK)

    @property
    def clerks(self) -> list[str]:
        """Who writes in the office."""
        return [f"@clerk-{number:03}" for number in range(self.sizes.clerks)]

    async def prepare(self) -> dict[str, str]:
        """Register everybody and return the keys of who asks, by handle."""
        keys = await self.store.prepare()
        for handle in (CHRONICLER, ANNALIST, NORTH, SOUTH, *self.clerks):
            await self.store.introduce(handle, Scope.AGENT)
        return keys | {ANALYST: await self.store.introduce(ANALYST, Scope.ANALYST)}

    async def write(self, progress: Progress) -> None:
        """Write all shapes: what the reader is part of, and beside it the office."""
        progress.start(self.sizes.messages, "Writing threads, years and an office")
        *short, longest = self.sizes.threads
        reading = chain(
            *(self._thread(count, self.present - timedelta(days=90), _MINUTE) for count in short),
            self._year(CHRONICLER, self.sizes.chronicler),
            self._year(ANNALIST, self.sizes.annalist),
            self._ends(),
            # The longest one is the newest: it lies on top of the list of threads.
            self._thread(longest, self.present - longest * _SECOND, _SECOND),
        )
        await self.store.load((reading, self._office()), progress)
        progress.done()

    def _thread(self, count: int, began: datetime, each: timedelta) -> Iterator[list[Submission]]:
        """Give a thread of three in which each message answers the one of a strand above it, or the first.

        There are as many strands as each is long: a thread of 10,000 is a hundred deep, and its first has a hundred
        replies.
        """
        width, three = isqrt(count), (READER, *SHORE[:2])
        ids = self.members.setdefault(count, [])
        while len(ids) < count:
            # What is answered must have been written by an earlier batch.
            numbers = range(len(ids), min(len(ids) + (width if ids else 1), count))
            batch = []
            for number in numbers:
                parent = None if number == 0 else ids[max(0, number - width)]
                sender = three[number % len(three)]
                said = self.store.letters.letter(READER, in_reply_to=parent)
                said = replace(said, to=tuple(one for one in three if one != sender))
                batch.append(self.store.submission(sender, said, began + number * each))
            if not ids:
                self.threads[count] = batch[0].ids.thread
            ids += [one.ids.message for one in batch]
            yield batch

    def _year(self, sender: str, count: int) -> Iterator[list[Submission]]:
        """Give a year of letters to the reader, a session each week, and his answers."""
        step = YEAR / (count + 1)
        for start in range(0, count, BATCH):
            letters = []
            for number in range(start, min(start + BATCH, count)):
                at = self.year.since + number * step
                session = f"watch-{(at - self.year.since) // WEEK}"
                said = replace(self._asking(READER), origin_session=session)
                letters.append(self.store.submission(sender, said, at))
            yield letters
            yield [self._answer(READER, one, one.ids.at + HOUR) for one in letters[::ANSWERED]]

    def _office(self) -> Iterator[list[Submission]]:
        """Give the mail of an office in which each clerk writes to the ten after him, who answer most of it."""
        clerks = self.clerks
        pairs = [
            (clerk, clerks[(place + 1 + fellow) % len(clerks)])
            for place, clerk in enumerate(clerks)
            for fellow in range(FELLOWS)
        ]
        each, written = WEEK / (self.sizes.office + 1), 0
        for turn in range(LETTERS):
            for start in range(0, len(pairs), BATCH):
                letters = [
                    self.store.submission(sender, self._asking(to), self.week.since + (written + number) * each)
                    for number, (sender, to) in enumerate(pairs[start : start + BATCH])
                ]
                written += len(letters)
                yield letters
                if turn < ANSWERS:
                    yield [
                        self._answer(to, letter, self.week.since + (written + number) * each)
                        for number, (letter, (_, to)) in enumerate(
                            zip(letters, pairs[start : start + BATCH], strict=True)
                        )
                    ]
                    written += len(letters)

    def _ends(self) -> Iterator[list[Submission]]:
        """Give the two messages of the path."""
        letters, at = self.store.letters, self.present - timedelta(days=60)
        yield [
            self.store.submission(NORTH, letters.line(READER), at),
            self.store.submission(READER, letters.line(SOUTH), at + HOUR),
        ]

    def _asking(self, to: str) -> MessageInput:
        return replace(self.store.letters.letter(to), expects_reply=True)

    def _answer(self, sender: str, to: Submission, at: datetime) -> Submission:
        said = self.store.letters.letter(to.draft.sender, in_reply_to=to.ids.message)
        return self.store.submission(sender, said, at)
