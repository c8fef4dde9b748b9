"""A story: each step is done by the program and by the rules in ``tests.stories.world``, and both answer the same."""

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from graph.identities import IdentityStatus, set_status
from graph.keys import Scope
from graph.roles import NewRole, create_role
from graph.rules.rights import RoleDelivery
from graph.rules.states import State
from tests.copies import Copy
from tests.stories.checking import Checks
from tests.stories.owning import Owns
from tests.stories.sending import Sends
from tests.stories.steps import Step
from tests.stories.working import Works
from tests.stories.world import World
from tests.support import Agents

AGENTS = 4


@dataclass
class Story(Sends, Owns, Works, Checks):
    """Four agents, of whom two hold a role that copies and a role that queues."""

    @classmethod
    async def begun(cls, agents: Agents, seed: int = 0) -> Self:
        """Register them. ``seed`` is for what the story leaves to chance."""
        graph, suffix = agents.graph, secrets.token_hex(4)
        handles = await agents(*(f"actor{number}" for number in range(AGENTS)))
        world = World(handles, f"role:each-{suffix}", f"role:desk-{suffix}")
        for role, delivery in ((world.each, RoleDelivery.EACH), (world.queue, RoleDelivery.QUEUE)):
            await create_role(graph.database, graph.clock, NewRole(role, delivery=delivery), graph.limits)
        keys = {
            handle: (await graph.keys.issue(graph.database, graph.clock, handle, [Scope.AGENT])).secret
            for handle in handles
        }
        chance = random.Random(seed)  # noqa: S311 - it only has to vary, and to vary alike in every run
        copies = [Copy(graph, box, State(0, 1), chance) for box in world.boxes]
        told = {handle: key.get_secret_value() for handle, key in keys.items()}
        story = cls(agents, world, told, f"glint{suffix}", chance, copies)
        for number in range(4):
            await story.join(Step("join", number // 2, number, 0, 0))
        return story

    async def tell(self, steps: Sequence[Step]) -> None:
        """Do the steps, and check after each what is cheap, in the end everything.

        Raises AssertionError where the program does not do what the rules say.
        """
        for step in steps:
            self.world.step += 1
            await getattr(self, step.act)(step)
            await self.glance()
        await self.check()

    async def over(self) -> None:
        """Bench the agents, so that broadcasts of later stories do not reach them."""
        for handle in self.world.agents:
            await set_status(self.graph.database, handle, IdentityStatus.BENCHED)
