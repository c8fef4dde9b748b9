"""The part of a story in which agents tend their mailboxes, take back what they wrote, and say who may do what."""

from dataclasses import dataclass

import pytest

from graph.errors import RefusalCode, Refused
from graph.marking import UpTo, mark_up_to, note_seen
from graph.permissions import block, grant, revoke, unblock
from graph.records import Delivery
from graph.retracting import retract
from graph.roles import add_member, remove_member
from graph.rules.marking import Mark
from graph.rules.rights import Permission
from tests.stories.steps import Step
from tests.stories.teller import TAGS, Teller, refusal, told

READING = Permission.CAN_READ_INBOX_OF


@dataclass
class Owns(Teller):
    """Owners of mailboxes, and of what they wrote."""

    async def read(self, step: Step) -> None:
        """Mark some entries as read."""
        await self._mark(step, Mark.READ)

    async def unread(self, step: Step) -> None:
        """Mark some entries as unread."""
        await self._mark(step, Mark.UNREAD)

    async def archive(self, step: Step) -> None:
        """Archive some entries."""
        await self._mark(step, Mark.ARCHIVE)

    async def unarchive(self, step: Step) -> None:
        """Bring some entries back."""
        await self._mark(step, Mark.UNARCHIVE)

    async def _mark(self, step: Step, how: Mark) -> None:
        owner = self.who(step)
        chosen = self.some(step, owner)
        strange = self.letter(step)
        asked = [*chosen, strange.id] if strange else chosen
        marked = await self.agents.mark(owner, how, *asked)
        assert set(marked.entries) == set(asked) & set(self.world.boxes[owner])
        self.world.mark(owner, how, asked)
        self.states.append((owner, marked.state, self.world.step))

    async def up_to(self, step: Step) -> None:
        """Mark everything up to a state that the owner was given once."""
        owner, how, everything = self.who(step), list(Mark)[step.two % len(Mark)], step.flag(0)
        own = [(state, at) for box, state, at in self.states if box == owner]
        if not own:
            self.states.append((owner, (await self.agents.inbox(owner)).state, self.world.step))
            return
        state, at = own[step.one % len(own)]
        what = UpTo(state, include_unseen=everything)
        await mark_up_to(self.graph.database, self.graph.clock, owner, how, what)
        self.world.mark(owner, how, self.world.up_to(owner, how, at, include_unseen=everything))

    async def look(self, step: Step) -> None:
        """Be shown some of one's entries, and the state of the mailbox."""
        owner = self.who(step)
        chosen = self.some(step, owner)
        await note_seen(self.graph.database, owner, dict.fromkeys(chosen, self.graph.clock.now()))
        for message in chosen:
            self.world.boxes[owner][message].seen = True
        self.states.append((owner, (await self.agents.inbox(owner)).state, self.world.step))

    async def tag(self, step: Step) -> None:
        """Add and remove tags of one's own."""
        owner, add = self.who(step), set(self.tags(step))
        remove = set(TAGS[: step.two % 3]) - add
        if (chosen := self.some(step, owner)) and (add or remove):
            tagged = await self.agents.tag(owner, *chosen, add=tuple(sorted(add)), remove=tuple(sorted(remove)))
            self.world.tag(owner, chosen, add, remove)
            for message in chosen:
                entry = tagged.results[message]
                assert isinstance(entry, Delivery)
                assert set(entry.tags) == self.world.boxes[owner][message].tags

    async def retract(self, step: Step) -> None:
        """Take back what one wrote, or try to take back what another did."""
        agent, world = self.who(step), self.world
        own = [letter for letter in world.letters.values() if letter.sender == agent]
        letter = own[step.one % len(own)] if own and step.flag(0) else self.letter(step)
        if letter is not None:
            refuses = None if letter.sender == agent else RefusalCode.FORBIDDEN
            expected = refuses if world.sees(agent, letter.id) else RefusalCode.NOT_FOUND
            reader = await self.reader(agent)
            answer = await told(retract(self.graph.database, self.graph.clock, reader, letter.id))
            assert refusal(answer) is expected
            if expected is None and letter.id not in world.retracted:
                world.retracted.add(letter.id)
                world.touch(letter.id)

    # Who may do what. The roles' rights are an operator's to give.

    async def block(self, step: Step) -> None:
        """Keep somebody's mail out of a mailbox, and him from reading it."""
        agent, mailbox = self.who(step), self.address(step.one)
        if agent != mailbox:
            await block(self.graph.database, self.graph.clock, mailbox, agent)
            self.world.blocks.add((agent, mailbox))

    async def unblock(self, step: Step) -> None:
        """Lift a block, or none."""
        agent, mailbox = self._one_of(step, self.world.blocks)
        if agent != mailbox:
            lifted = await unblock(self.graph.database, mailbox, agent)
            assert lifted is ((agent, mailbox) in self.world.blocks)
            self.world.blocks.discard((agent, mailbox))

    async def grant(self, step: Step) -> None:
        """Let somebody read a mailbox; a role that copies has none to read."""
        agent, mailbox = self.who(step), self.address(step.one)
        if mailbox == self.world.each:
            with pytest.raises(Refused):
                await grant(self.graph.database, self.graph.clock, mailbox, agent, READING)
        elif agent != mailbox:
            await grant(self.graph.database, self.graph.clock, mailbox, agent, READING)
            self.world.grants.add((agent, mailbox))

    async def revoke(self, step: Step) -> None:
        """Take a grant back, or none."""
        agent, mailbox = self._one_of(step, self.world.grants)
        if agent != mailbox:
            revoked = await revoke(self.graph.database, mailbox, agent, READING)
            assert revoked is ((agent, mailbox) in self.world.grants)
            self.world.grants.discard((agent, mailbox))

    def _one_of(self, step: Step, pairs: set[tuple[str, str]]) -> tuple[str, str]:
        there = sorted(pairs)
        if there and step.flag(0):
            return there[step.two % len(there)]
        return self.who(step), self.address(step.one)

    async def join(self, step: Step) -> None:
        """Take a role."""
        role, agent = self._role(step), self.who(step)
        await add_member(self.graph.database, self.graph.clock, role, agent)
        self.world.members[role].add(agent)

    async def leave(self, step: Step) -> None:
        """Give a role up."""
        role, agent = self._role(step), self.who(step)
        await remove_member(self.graph.database, role, agent)
        self.world.members[role].discard(agent)

    def _role(self, step: Step) -> str:
        return (self.world.each, self.world.queue)[step.one % 2]
