"""Whoever only ever applies changes has the mailbox, while many write to it (DESIGN §3.3; issue: changes; LESSONS 13).

The writers are real parallel transactions: they send, mark, archive, retract and see, all on one mailbox.
"""

import asyncio
import random
from dataclasses import dataclass

import pytest

from graph import marking
from graph.bootstrap import Graph
from graph.errors import RefusalCode, Refused
from graph.marking import UpTo, mark_up_to, note_seen
from graph.readers import Reader
from graph.retracting import retract
from graph.rules.marking import Mark
from graph.rules.states import State
from tests.copies import EVERYTHING, Copy, known, the_mailbox
from tests.integration.test_races import at_once, no_transaction_was_tried_twice  # noqa: F401 - used by its name
from tests.soak.audit import faults, mailbox_audit
from tests.support import Agents

WRITERS, EACH = 4, 20


@dataclass
class Writers:
    """Senders to one mailbox, and its owner who marks; what they do next is up to chance."""

    agents: Agents
    owner: str
    chance: random.Random
    sent: dict[str, list[str]]

    async def writes(self, sender: str) -> None:
        """Do a number of things, one after the other."""
        acts = [self.sends, self.sends, self.sends, self.marks, self.marks, self.sweeps, self.retracts, self.sees]
        for _ in range(EACH):
            await self.chance.choice(acts)(sender)

    async def sends(self, sender: str) -> None:
        """Send a message to the owner, and sometimes to another one too."""
        to = self.chance.sample(list(self.sent), self.chance.randint(0, 1))
        self.sent[sender].append(await self.agents.send(sender, self.owner, *to, tags=("tide",)))

    async def marks(self, _: str) -> None:
        """Let the owner mark some messages in some way."""
        await self.agents.mark(self.owner, self.chance.choice(list(Mark)), *self._some())

    async def sweeps(self, _: str) -> None:
        """Let the owner mark everything up to what he sees."""
        graph, how = self.agents.graph, self.chance.choice(list(Mark))
        what = UpTo((await self.agents.inbox(self.owner)).state, include_unseen=self.chance.random() < 0.3)
        await mark_up_to(graph.database, graph.clock, self.owner, how, what)

    async def retracts(self, sender: str) -> None:
        """Take back a message, perhaps once more."""
        graph = self.agents.graph
        await retract(graph.database, graph.clock, Reader.alone(sender), self.chance.choice(self.sent[sender]))

    async def sees(self, _: str) -> None:
        """Show the owner some messages."""
        graph = self.agents.graph
        await note_seen(graph.database, self.owner, dict.fromkeys(self._some(), graph.clock.now()))

    def _some(self) -> list[str]:
        every = [id_ for ids in self.sent.values() for id_ in ids]
        return self.chance.sample(every, min(len(every), self.chance.randint(1, 5)))


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_client_that_applies_changes_has_the_mailbox(agents: Agents, graph: Graph, seed: int) -> None:
    owner, *senders = await agents("owner", *(f"sender{number}" for number in range(WRITERS)))
    chance = random.Random(seed)  # noqa: S311 - it only has to vary, and to vary alike in every run
    writers = Writers(agents, owner, chance, {sender: [await agents.send(sender, owner)] for sender in senders})
    begin = await agents.inbox(owner, EVERYTHING)
    copies = [
        Copy(graph, owner, begin.state, chance, {entry.uid: known(entry) for entry in begin.page.items}),
        # Whoever kept nothing may also begin before everything.
        Copy(graph, owner, State(0, 1), chance),
    ]

    async def follows(copy: Copy) -> None:
        while True:
            await copy.catch_up()
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        following = [group.create_task(follows(copy)) for copy in copies]
        await at_once(writers.writes(sender) for sender in senders)
        for task in following:
            task.cancel()

    truth = await the_mailbox(agents, owner)
    assert len(truth) == sum(len(ids) for ids in writers.sent.values())
    for copy in copies:
        await copy.catch_up()
        assert copy.entries == truth
    assert await faults(graph.database, [owner, *senders]) == []
    box = await mailbox_audit(graph.database, owner)
    assert {copy.state for copy in copies} == {State(box.modseq, box.uid_next)}


async def test_a_sweep_goes_in_steps_and_leaves_what_comes_meanwhile(
    agents: Agents, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LESSONS 4: a mark for everything ends at the state that was named, however many steps it takes."""
    monkeypatch.setattr(marking, "WINDOW", 7)
    monkeypatch.setattr(marking, "RESULTS_MOST", 5)
    ada, bea = await agents("ada", "bea")
    ids = [await agents.send(ada, bea, tags=("tide",)) for _ in range(30)]
    await note_seen(graph.database, bea, dict.fromkeys(ids[::3], graph.clock.now()))
    state = (await agents.inbox(bea)).state
    later = await agents.send(ada, bea)
    await agents.mark(bea, Mark.READ, ids[0])
    await agents.mark(bea, Mark.UNREAD, ids[0])
    await note_seen(graph.database, bea, {later: graph.clock.now()})

    marked = await mark_up_to(graph.database, graph.clock, bea, Mark.READ, UpTo(state))

    # The first has changed since the state was given, so whoever named it did not mean it as it is now.
    assert list(marked.entries) == ids[3:18:3]
    assert (marked.matched, marked.changed, marked.withheld) == (29, 9, 20)
    box = await mailbox_audit(graph.database, bea)
    assert box.faults() == []
    assert box.unread == {later, ids[0]} | (set(ids) - set(ids[::3]))
    assert marked.state == State(box.modseq, box.uid_next)
    every = await mark_up_to(graph.database, graph.clock, bea, Mark.ARCHIVE, UpTo(marked.state, include_unseen=True))
    assert (every.matched, every.changed, every.withheld) == (31, 31, 0)
    box = await mailbox_audit(graph.database, bea)
    assert (box.unread_count, len(box.archived), box.faults()) == (0, 31, [])
    back = await mark_up_to(graph.database, graph.clock, bea, Mark.UNARCHIVE, UpTo(every.state, include_unseen=True))
    assert back.changed == 31
    box = await mailbox_audit(graph.database, bea)
    assert (box.unread_count, box.archived, box.faults()) == (22, set(), [])


async def test_of_several_that_mark_in_one_state_one_does(agents: Agents, graph: Graph) -> None:
    """The state is compared under the lock, in the transaction that changes."""
    ada, bea = await agents("ada", "bea")
    ids = [await agents.send(ada, bea) for _ in range(6)]
    state = (await agents.inbox(bea)).state

    async def marks(id_: str) -> bool:
        try:
            await marking.mark(graph.database, graph.clock, bea, Mark.READ, [id_], state)
        except Refused as refused:
            assert refused.refusal is RefusalCode.STATE_MISMATCH  # noqa: PT017 - most of them are refused, one is not
            return False
        return True

    assert sum(await at_once(map(marks, ids))) == 1
    assert len((await mailbox_audit(graph.database, bea)).unread) == 5
