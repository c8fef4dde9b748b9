"""What must be so after any story: the graph agrees with itself, with the rules, and with what each agent is shown."""

from dataclasses import dataclass, field

from neo4j.time import DateTime

from graph.handovers import handovers
from graph.mailbox import InboxFilter, inbox, inbox_total
from graph.queries import Query
from graph.rules.states import State
from graph.rules.tags import HANDOVER_TAG
from graph.rules.tasks import TaskState
from graph.tasks import task_events
from tests.copies import EVERYTHING, the_mailbox
from tests.soak.audit import faults, mailbox_audit
from tests.stories.looking import Looker
from tests.stories.teller import TAGS, Teller

GLANCE = Query(
    "test/glance",
    """
    MATCH (b:Mailbox) WHERE b.address IN $mailboxes
    RETURN b.address AS mailbox, b.uidNext AS uidNext, b.modseq AS modseq, b.unreadCount AS unreadCount,
      COLLECT {
        MATCH (m:Message)-[d:DELIVERED_TO]->(b) RETURN {message: m.id, readAt: d.readAt, seenAt: d.seenAt}
      } AS entries
    """,
)


@dataclass
class Checks(Teller):
    """Whoever does not believe it."""

    positions: dict[str, tuple[int, int]] = field(default_factory=dict)
    first_times: dict[tuple[str, str, str], DateTime] = field(default_factory=dict)

    async def glance(self) -> None:
        """Check cheaply: states only grow, first times stay, counts are right, and one copy catches up."""
        boxes = self.world.boxes
        for row in await self.graph.database.fetch(GLANCE, {"mailboxes": list(boxes)}):
            box = row["mailbox"]
            before, now = self.positions.get(box, (0, 0)), (row["uidNext"], row["modseq"])
            assert all(old <= new for old, new in zip(before, now, strict=True)), f"{box} went from {before} to {now}"
            self.positions[box] = now
            assert row["uidNext"] == len(boxes[box]) + 1
            assert row["unreadCount"] == len(self.world.unread(box))
            for entry in row["entries"]:
                for when in ("readAt", "seenAt"):
                    if (found := entry[when]) is not None:
                        assert self.first_times.setdefault((box, entry["message"], when), found) == found
        await self.copies[self.world.step % len(self.copies)].catch_up()

    async def check(self) -> None:
        """Check everything."""
        assert await faults(self.graph.database, list(self.world.boxes)) == []
        for box in self.world.boxes:
            await self._box(box)
        await self._copies()
        await self._tasks()
        for agent in self.world.agents:
            looker = Looker(self.graph, self.world, self.marker, await self.reader(agent), self.chance)
            await looker.looks()
            stack = (await handovers(self.graph.database, agent, 100, None)).items
            assert [card.message for card in stack] == self.world.stack[agent]

    async def _box(self, box: str) -> None:
        """Check a mailbox's entries, its lists and their counts."""
        told, graph = self.world.boxes[box], self.graph
        audit = await mailbox_audit(graph.database, box)
        assert audit.messages == list(told)
        assert audit.unread == self.world.unread(box)
        assert audit.archived == {entry.message for entry in told.values() if entry.archived}
        for entry in (await inbox(graph.database, box, EVERYTHING, 100, None)).page.items:
            kept, letter = told[entry.message.id], self.world.letters[entry.message.id]
            assert (set(entry.tags), entry.unread) == (kept.tags, kept.unread)
            assert (entry.read_at is not None, entry.seen_at is not None) == (kept.read, kept.seen)
            assert (entry.via, entry.message.sender, entry.message.thread) == (
                letter.boxes[box],
                letter.sender,
                letter.thread,
            )
            retracted = letter.id in self.world.retracted
            assert (entry.message.retracted, entry.message.subject == "") == (retracted, retracted)
        newest_first = list(reversed(told.values()))
        kept_in = [entry for entry in newest_first if not entry.archived]
        lists = {
            EVERYTHING: newest_first,
            InboxFilter(): kept_in,
            **{
                InboxFilter(tags=(tag,)): [entry for entry in kept_in if tag in entry.tags]
                for tag in (*TAGS, HANDOVER_TAG)
            },
            InboxFilter(tags=TAGS, unread=True): [e for e in kept_in if e.unread and set(TAGS) <= e.tags],
        }
        unread = InboxFilter(unread=True), [entry for entry in kept_in if entry.unread]
        for chosen, expected in (unread, *self.chance.sample(list(lists.items()), 2)):
            page = (await inbox(graph.database, box, chosen, 100, None)).page
            assert [entry.message.id for entry in page.items] == [entry.message for entry in expected]
            assert (await inbox_total(graph.database, box, chosen)).count == len(expected)

    async def _copies(self) -> None:
        for copy in self.copies:
            await copy.catch_up()
            audit = await mailbox_audit(self.graph.database, copy.owner)
            assert copy.state == State(audit.modseq, audit.uid_next)
            assert copy.entries == await the_mailbox(self.agents, copy.owner)

    async def _tasks(self) -> None:
        """Check that the events of each task lead from its beginning to where it is."""
        events = await task_events(self.graph.database, list(self.world.tasks), 100, 0)
        for task in self.world.tasks.values():
            history = events[task.id].items
            assert [event.seq for event in history] == list(range(1, task.version + 1))
            states = [TaskState.SUBMITTED, *(event.after for event in history)]
            assert [event.before for event in history] == states[:-1]
            assert states[-1] is task.state
