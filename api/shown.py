"""What callers were shown, kept for a moment and written together, so that no request waits for ``seenAt``."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from datetime import datetime

from graph.bootstrap import Graph
from graph.errors import HeliographError
from graph.marking import note_seen

log = logging.getLogger(__name__)

#: How long shown entries of one mailbox are gathered, in seconds, from the first one on.
GATHER_SECONDS = 0.05


@dataclass(slots=True)
class _Gathering:
    """What one mailbox's owner was shown, by message id and with the time, until it is written."""

    messages: dict[str, datetime] = field(default_factory=dict)
    hurry: asyncio.Event = field(default_factory=asyncio.Event)


class Shown:
    """The entries that owners were shown and whose ``seenAt`` is still to be written, for one server."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._gathering: dict[str, _Gathering] = {}
        self._writing: dict[str, set[asyncio.Task[None]]] = {}

    def add(self, mailbox: str, messages: Iterable[str]) -> None:
        """Note that a mailbox's owner is shown these messages now; what is not in the mailbox is passed over."""
        now = self._graph.clock.now()
        for message in messages:
            if mailbox not in self._gathering:
                self._begin(mailbox)
            self._gathering[mailbox].messages.setdefault(message, now)

    async def flush(self, mailbox: str) -> None:
        """Write what is waiting of a mailbox, and wait until it is written."""
        if (gathering := self._gathering.get(mailbox)) is not None:
            gathering.hurry.set()
        await asyncio.gather(*self._writing.get(mailbox, ()))

    async def finish(self) -> None:
        """Write everything that is waiting, and wait until it is written."""
        await asyncio.gather(*(self.flush(mailbox) for mailbox in list(self._writing)))

    def _begin(self, mailbox: str) -> None:
        gathering = self._gathering[mailbox] = _Gathering()
        # It serves several requests, so it runs in the context of none of them.
        task = asyncio.create_task(self._write_later(mailbox, gathering), context=Context())
        self._writing.setdefault(mailbox, set()).add(task)
        task.add_done_callback(lambda done: self._written(mailbox, done))

    def _written(self, mailbox: str, task: asyncio.Task[None]) -> None:
        tasks = self._writing[mailbox]
        tasks.discard(task)
        if not tasks:
            del self._writing[mailbox]

    async def _write_later(self, mailbox: str, gathering: _Gathering) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(gathering.hurry.wait(), GATHER_SECONDS)
        # What is shown from now on is gathered anew.
        del self._gathering[mailbox]
        try:
            await note_seen(self._graph.database, mailbox, gathering.messages)
        except HeliographError as error:
            log.warning("What %s was shown was not noted: %s", mailbox, error)
