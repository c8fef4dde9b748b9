"""A client's copy of a mailbox, kept by applying changes, and the mailbox that it must equal (DESIGN §3.3)."""

import random
from dataclasses import dataclass, field, replace

from graph.bootstrap import Graph
from graph.changes import changes
from graph.mailbox import InboxFilter
from graph.records import Delivery
from graph.rules.states import State
from tests.support import Agents

EVERYTHING = InboxFilter(include_archived=True)


def known(entry: Delivery) -> Delivery:
    """Return what a copy holds of an entry: all but ``seenAt``, which is no change."""
    return replace(entry, seen_at=None)


@dataclass
class Copy:
    """A client's copy of a mailbox: what it was told, by uid."""

    graph: Graph
    owner: str
    state: State
    chance: random.Random
    entries: dict[int, Delivery] = field(default_factory=dict)

    async def catch_up(self) -> None:
        """Apply changes in pages of 1 to 7 until there are no more."""
        more = True
        while more:
            first = self.chance.randint(1, 7)
            page = await changes(self.graph.database, self.owner, self.state, first)
            assert all(entry.uid >= self.state.uid_next for entry in page.created)
            assert all(entry.uid < self.state.uid_next for entry in page.changed)
            told = [*page.created, *page.changed]
            assert len({entry.uid for entry in told}) == len(told) <= first
            assert page.state.modseq >= self.state.modseq
            self.entries |= {entry.uid: known(entry) for entry in told}
            self.state, more = page.state, page.has_more


async def the_mailbox(agents: Agents, owner: str) -> dict[int, Delivery]:
    """Return every entry of a mailbox, archived ones too; nobody writes meanwhile."""
    found: dict[int, Delivery] = {}
    page = (await agents.inbox(owner, EVERYTHING)).page
    found |= {entry.uid: known(entry) for entry in page.items}
    while page.has_next:
        page = (await agents.inbox(owner, EVERYTHING, before=page.end)).page
        found |= {entry.uid: known(entry) for entry in page.items}
    return found
