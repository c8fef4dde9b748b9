"""What every part of a story shares: its agents, the world they are in, and the things that a step may mean."""

import random
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from graph.bootstrap import Graph
from graph.errors import RefusalCode, Refused
from graph.queues import Claim
from graph.readers import Reader
from graph.rules.states import State
from tests.copies import Copy
from tests.stories.steps import Step
from tests.stories.world import Letter, World
from tests.support import Agents

T = TypeVar("T")

TAGS = ("tide", "log")


@dataclass(frozen=True)
class At:
    """A clock that stands still."""

    moment: datetime

    def now(self) -> datetime:
        """Return its moment."""
        return self.moment


async def told(act: Awaitable[T]) -> T | RefusalCode:
    """Return what an act answers, or how it was refused."""
    try:
        return await act
    except Refused as refused:
        return refused.refusal


def refusal(answer: object) -> RefusalCode | None:
    """Return how an act was refused, None where it was not."""
    return answer if isinstance(answer, RefusalCode) else None


@dataclass
class Teller:
    """Agents and roles of their own, and a ``marker``, a word that is in every message of theirs and in no other."""

    agents: Agents
    world: World
    keys: dict[str, str]
    marker: str
    chance: random.Random
    copies: list[Copy] = field(default_factory=list)
    #: States of mailboxes that somebody was given, with the step at which that was.
    states: list[tuple[str, State, int]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    @property
    def graph(self) -> Graph:
        """The graph that the story happens on."""
        return self.agents.graph

    async def reader(self, agent: str) -> Reader:
        """Return an agent as the program knows it by its key; it may read what the rules say."""
        caller = await self.graph.keys.caller(self.graph.database, self.keys[agent])
        assert caller is not None
        assert sorted(caller.reader.mailboxes) == sorted(self.world.readable(agent))
        return caller.reader

    def who(self, step: Step) -> str:
        """Return the agent that does the step."""
        return self.world.agents[step.who % len(self.world.agents)]

    def address(self, number: int) -> str:
        """Return the agent or role that a number means."""
        return self.world.addresses[number % len(self.world.addresses)]

    def letter(self, step: Step) -> Letter | None:
        """Return the letter that a step means, mostly one that its agent may see; none before there is any."""
        seen = [] if step.flags % 8 == 0 else self.world.seen_by(self.who(step))
        chosen = seen or list(self.world.letters)
        return self.world.letters[chosen[step.one % len(chosen)]] if chosen else None

    def some(self, step: Step, box: str) -> list[str]:
        """Return one to three of the messages in a mailbox, often of its oldest two; none of an empty one."""
        # The same entry must be met again and again, or what was first could not be forgotten.
        there = list(self.world.boxes[box])[: 2 if step.flag(6) else None]
        numbers = (step.one, step.two, step.one + step.two)[: 1 + step.flags % 3]
        return list(dict.fromkeys(there[number % len(there)] for number in numbers)) if there else []

    def tags(self, step: Step) -> tuple[str, ...]:
        """Return the tags that a step means, which may be none."""
        return tuple(tag for bit, tag in enumerate(TAGS, start=4) if step.flag(bit))
