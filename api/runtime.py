"""What one running server holds: made at start, handed to the application, closed at its end."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from api.limits import Limits
from api.shown import Shown
from graph.bootstrap import Graph
from graph.errors import HeliographError
from graph.identities import touch
from graph.keys import Caller

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

    def note_seen(self, caller: Caller) -> None:
        """Note, after the answer, that the caller was here; nobody waits for it."""
        if caller.last_seen_at is None or self.graph.clock.now() - caller.last_seen_at > SEEN_EVERY:
            self._later(touch(self.graph.database, self.graph.clock, caller.handle))

    async def finish(self) -> None:
        """Wait for what was left for later."""
        await asyncio.gather(self.shown.finish(), *self._tasks)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await work
            except HeliographError as error:
                log.warning("Something left for later was not done: %s", error)

        task = asyncio.create_task(guarded())
        # The event loop keeps weak references alone; the set keeps the task until it is done.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
