"""The part of a story in which agents work: on tasks, and on what lies in the queue."""

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta

from graph.errors import RefusalCode
from graph.queues import Claim, claim, finish, release
from graph.rules.tasks import TaskState
from graph.tasks import sweep_expired, transition_task
from tests.stories.sending import HOUR
from tests.stories.steps import Step
from tests.stories.teller import At, Teller, refusal, told
from tests.stories.world import Entry, Task

LEASE_SECONDS = 600


@dataclass
class Works(Teller):
    """Whoever moves tasks and claims entries."""

    async def claim(self, step: Step) -> None:
        """Take a task up."""
        await self._move(step, TaskState.WORKING)

    async def complete(self, step: Step) -> None:
        """End a task as done."""
        await self._move(step, TaskState.COMPLETED)

    async def cancel(self, step: Step) -> None:
        """Call a task off."""
        await self._move(step, TaskState.CANCELED)

    async def _move(self, step: Step, to: TaskState) -> None:
        agent, world = self.who(step), self.world
        if (task := self._task(step, to)) is None:
            return
        allowed, reader = world.moves(agent, task, to), await self.reader(agent)
        moved = await told(
            transition_task(self.graph.database, self.graph.clock, reader, task.id, to, self.graph.limits)
        )
        if not world.sees(agent, task.message):
            assert moved is RefusalCode.NOT_FOUND
        elif not allowed:
            assert moved in (RefusalCode.FORBIDDEN, RefusalCode.STATE_MISMATCH, RefusalCode.CONFLICT)
        else:
            assert not isinstance(moved, RefusalCode)
            if to is TaskState.WORKING:
                task.assignee = agent
            task.state, task.version = to, task.version + 1
            assert (moved.state, moved.assignee, moved.version) == (task.state, task.assignee, task.version)

    def _task(self, step: Step, to: TaskState) -> Task | None:
        """Return the task that a step means, mostly one that can go there."""
        every = list(self.world.tasks.values())
        ready = [task for task in every if step.flags % 4 and self.world.moves(self.who(step), task, to)]
        chosen = ready or every
        return chosen[step.one % len(chosen)] if chosen else None

    async def expire(self, _: Step) -> None:
        """Let the clock end what is due in two hours; tasks of other stories may be due as well."""
        due = [task for task in self.world.tasks.values() if task.expires and task.open]
        assert await sweep_expired(self.graph.database, At(self.graph.clock.now() + 2 * HOUR)) >= len(due)
        for task in due:
            task.state, task.version = TaskState.EXPIRED, task.version + 1

    # The queue.

    async def take(self, step: Step) -> None:
        """Claim an entry of the queue, that of a message or the oldest free one; perhaps when a lease has ended."""
        agent, world = self.who(step), self.world
        now = self.graph.clock.now() + timedelta(seconds=2 * LEASE_SECONDS if step.flag(0) else 0)
        there = list(world.boxes[world.queue])
        named = there[step.one % len(there)] if there and step.flag(1) else None
        free = world.free(now)
        expected = world.refuses_queue(agent)
        if expected is None and named is None and not free:
            expected = RefusalCode.NOT_FOUND
        if expected is None and named is not None:
            entry = world.boxes[world.queue][named]
            expected = RefusalCode.CONFLICT if named not in free and (entry.finished or entry.holder != agent) else None

        taken = await told(
            claim(self.graph.database, At(now), await self.reader(agent), world.queue, named, LEASE_SECONDS)
        )

        assert refusal(taken) is expected
        if not isinstance(taken, RefusalCode):
            assert taken.message == (named or free[0])
            entry = world.boxes[world.queue][taken.message]
            entry.holder, entry.until, entry.token, entry.changed = agent, taken.until, taken.token, world.step
            self.claims.append(taken)

    async def release(self, step: Step) -> None:
        """Give an entry back with a token that was given once."""
        if self.claims:
            held = self._claim(step)
            agent = self.who(step)
            act = release(self.graph.database, await self.reader(agent), held.mailbox, held.message, held.token)
            if (entry := await self._with_token(agent, held, act)) is not None:
                entry.holder = entry.until = entry.token = None

    async def finish(self, step: Step) -> None:
        """Finish an entry with a token that was given once."""
        if self.claims:
            held = self._claim(step)
            agent, graph = self.who(step), self.graph
            reader = await self.reader(agent)
            act = finish(graph.database, graph.clock, reader, held.mailbox, held.message, held.token)
            if (entry := await self._with_token(agent, held, act)) is not None:
                entry.until = entry.token = None
                entry.unread, entry.read, entry.finished = False, True, True

    def _claim(self, step: Step) -> Claim:
        return self.claims[-1 - step.one % min(len(self.claims), 3)]

    async def _with_token(self, agent: str, held: Claim, act: Awaitable[str]) -> Entry | None:
        """Do something with a token, and return the entry when it was good."""
        entry = self.world.boxes[held.mailbox][held.message]
        expected = self.world.refuses_queue(agent)
        if expected is None and entry.finished:
            expected = RefusalCode.CONFLICT
        elif expected is None and (entry.token != held.token or entry.holder != agent):
            expected = RefusalCode.STALE_OWNER
        assert refusal(await told(act)) is expected
        if expected is not None:
            return None
        entry.changed = self.world.step
        return entry
