"""Senders that go on through every fault: each message is sent again, with its key, until it is acknowledged.

They know nothing of how a message travels; a test gives them a function that sends one.
"""

import asyncio
import os
import random
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cli.output import print_table
from graph.database import Database
from graph.rules.addresses import EVERYONE
from tests.soak.audit import faults, mailbox_audit, sent_messages

#: How often each soak test kills what it kills.
KILLS = int(os.environ.get("HELIOGRAPH_SOAK_KILLS", "20"))
#: Far longer than a run takes; it only keeps a broken program from going on for ever.
PATIENCE_SECONDS = 90.0 * (KILLS + 2)
#: How long the senders are left alone after they are back, at least and at most.
QUIET_SECONDS = 0.3, 2.0
#: How long a sender waits after a failure before it tries again.
RETRY_SECONDS = 0.1


class TryAgain(Exception):
    """The message was not acknowledged and may or may not have been written; its key makes it safe to repeat."""


@dataclass(frozen=True)
class Letter:
    """One message to be sent. ``parent`` is the id of the message it answers, if it does."""

    sender: str
    to: tuple[str, ...]
    key: str
    parent: str | None


@dataclass(frozen=True)
class Answer:
    """The acknowledgement: the message's id, and whether an earlier try had already written it."""

    message: str
    duplicate: bool


Send = Callable[[Letter], Awaitable[Answer]]
Kill = Callable[[], Awaitable[None]]


@dataclass
class Soak:
    """What was sent and acknowledged, and how long each fault lasted for those who send."""

    handles: Sequence[str]
    send: Send
    acknowledged: dict[str, Letter] = field(default_factory=dict)
    repeated: int = 0
    in_flight: int = 0
    interrupted: int = 0
    back_after: list[float] = field(default_factory=list)
    _chance: random.Random = field(default_factory=lambda: random.Random(6))  # noqa: S311 - no secret depends on it
    _acknowledgements: dict[asyncio.Event, float] = field(default_factory=dict)

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Keep every sender sending while the block runs; then each finishes the message that it is at."""
        over = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for handle in self.handles:
                group.create_task(self._sends(handle, over), name=handle)
            yield
            over.set()

    async def kills(self, kill: Kill, times: int) -> None:
        """Kill that often, each time in the middle of sending, and wait each time until sending works again."""
        for _ in range(times):
            await self._next_acknowledgement()
            await asyncio.sleep(self._chance.uniform(*QUIET_SECONDS))
            self.interrupted += self.in_flight
            killed = time.monotonic()
            await kill()
            await self._next_acknowledgement()
            self.back_after.append(time.monotonic() - killed)
        await self._next_acknowledgement()

    async def _sends(self, sender: str, over: asyncio.Event) -> None:
        number, parent = 0, None
        while not over.is_set():
            number += 1
            to = (
                (EVERYONE,)
                if number % 10 == 0
                else tuple(self._chance.sample(self.handles, self._chance.randint(1, 3)))
            )
            letter = Letter(sender, to, f"{sender}:{number}", parent if number % 3 == 0 else None)
            parent = await self._delivered(letter)

    async def _delivered(self, letter: Letter) -> str:
        """Send until it is acknowledged, and return the message's id."""
        self.in_flight += 1
        try:
            while True:
                began = time.monotonic()
                try:
                    answer = await self.send(letter)
                except TryAgain:
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                self.acknowledged[answer.message] = letter
                self.repeated += answer.duplicate
                for waiting, since in self._acknowledgements.items():
                    if began >= since:
                        waiting.set()
                return answer.message
        finally:
            self.in_flight -= 1

    async def _next_acknowledgement(self) -> None:
        """Return once a send is acknowledged that began after this call."""
        waiting = asyncio.Event()
        self._acknowledgements[waiting] = time.monotonic()
        try:
            await waiting.wait()
        finally:
            del self._acknowledgements[waiting]

    def recipients(self, letter: Letter) -> set[str]:
        """Return whose mailboxes a letter must be in."""
        return set(self.handles) - {letter.sender} if letter.to == (EVERYONE,) else set(letter.to)


@dataclass(frozen=True)
class Findings:
    """What the graph holds of it in the end."""

    lost: list[str]
    doubled: list[str]
    faults: list[str]

    @classmethod
    async def of(cls, soak: Soak, database: Database) -> "Findings":
        """Compare the graph with what was acknowledged. Nobody may be sending any more."""
        boxes = [await mailbox_audit(database, handle) for handle in soak.handles]
        held = {box.address: set(box.messages) for box in boxes}
        kept = await sent_messages(database, soak.handles)
        lost = [
            f"{message} to {recipient}"
            for message, letter in soak.acknowledged.items()
            for recipient in soak.recipients(letter)
            if message not in held[recipient]
        ]
        # Everybody went on until the last message was acknowledged, so whatever else there is was written twice.
        doubled = [message for message in kept if message not in soak.acknowledged]
        return cls(lost, doubled, await faults(database, soak.handles))


def report(title: str, soak: Soak, findings: Findings) -> None:
    """Print what happened, as one row."""
    print_table(
        (
            "kills",
            "in flight",
            "acknowledged",
            "on retry",
            "lost",
            "doubled",
            "faults",
            "back, median s",
            "back, max s",
        ),
        [
            (
                str(len(soak.back_after)),
                str(soak.interrupted),
                str(len(soak.acknowledged)),
                str(soak.repeated),
                str(len(findings.lost)),
                str(len(findings.doubled)),
                str(len(findings.faults)),
                f"{statistics.median(soak.back_after):.1f}",
                f"{max(soak.back_after):.1f}",
            )
        ],
        title=title,
    )
