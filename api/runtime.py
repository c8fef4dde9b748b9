"""What one running server holds: made at start, handed to the application, closed at its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from api.limits import Limits
from api.shown import Shown
from graph.analysts import AnalystCypher
from graph.autotagging import AutoTagger
from graph.bootstrap import Graph
from graph.errors import HeliographError
from graph.identities import touch
from graph.keys import Caller
from graph.tasks import sweep_expired

log = logging.getLogger(__name__)

#: How stale an identity's ``lastSeenAt`` may be; within it, being seen again writes nothing.
SEEN_EVERY = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Runtime:
    """The opened graph and the limits that every request of one server shares."""

    graph: Graph
    shown: Shown
    limits: Limits = field(default_factory=Limits)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    tagger: AutoTagger | None = None
    """Where automatic tagging is on: who does it."""
    cypher: AnalystCypher = field(init=False)
    """Where analysts' own queries run, for whom they may."""

    def __post_init__(self) -> None:
        """Make what is made of the graph and the limits alone."""
        object.__setattr__(self, "cypher", AnalystCypher(self.graph, self.limits.cypher))

    @classmethod
    def of(cls, graph: Graph, limits: Limits) -> "Runtime":
        """Return the runtime that the graph's settings ask for."""
        tagger = AutoTagger(graph.database, graph.limits) if graph.settings.auto_tagging else None
        return cls(graph, Shown(graph), limits, tagger=tagger)

    def note_sent(self, ids: Sequence[str]) -> None:
        """Have messages that were just sent tagged, after the answer and where that is on; nobody waits for it."""
        if self.tagger is not None and ids:
            self._later(self.tagger.tag(ids))

    def note_seen(self, caller: Caller) -> None:
        """Note, after the answer, that the caller was here; nobody waits for it."""
        if caller.last_seen_at is None or self.graph.clock.now() - caller.last_seen_at > SEEN_EVERY:
            self._later(touch(self.graph.database, self.graph.clock, caller.handle))

    @asynccontextmanager
    async def sweeping(self) -> AsyncIterator[None]:
        """End tasks whose time is over, now and again, for as long as the block lasts."""
        task = asyncio.create_task(self._sweep(self.graph.settings.sweep_seconds))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _sweep(self, every: float) -> None:
        while True:
            try:
                await sweep_expired(self.graph.database, self.graph.clock)
            except HeliographError as error:
                log.warning("Tasks whose time is over were not ended, and will be by and by: %s", error)
            await asyncio.sleep(every)

    async def finish(self) -> None:
        """Wait for what was left for later."""
        await asyncio.gather(self.shown.finish(), *self._tasks)
        await self.cypher.close()

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await work
            except HeliographError as error:
                log.warning("Something left for later was not done: %s", error)

        # It may run before the answer is given, and is yet none of the request's own queries and writes.
        task = asyncio.create_task(guarded(), context=Context())
        # The event loop keeps weak references alone; the set keeps the task until it is done.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
