"""What one agent is shown, by every path, beside what the rules let it see: no more, no less (DESIGN §3.10)."""

import random
from collections import Counter
from dataclasses import dataclass

from graph.bootstrap import Graph
from graph.messages import message_cards, replies, reply_counts
from graph.readers import Reader
from graph.receipts import receipt_counts, receipts
from graph.rules.searching import search_terms
from graph.search import SearchFilter, search, search_total
from graph.sent import SentFilter, sent, sent_total
from graph.tasks import TaskFilter, TaskRole, task_cards, tasks
from graph.threads import forks, participants, rebuilt, spans, thread_cards, thread_of
from tests.stories.teller import TAGS
from tests.stories.world import Task, World


@dataclass
class Looker:
    """An agent, as the program knows it. ``chance`` chooses which filters are tried beside the plain list."""

    graph: Graph
    world: World
    marker: str
    reader: Reader
    chance: random.Random

    async def looks(self) -> None:
        """Look at everything that the story has, whether it is to be seen or not."""
        await self._messages()
        await self._threads()
        await self._search()
        await self._sent()
        await self._receipts()
        await self._tasks()

    @property
    def agent(self) -> str:
        """Who looks."""
        return self.reader.handle

    async def _messages(self) -> None:
        ids, visible = list(self.world.letters), self.world.seen_by(self.agent)
        cards = await message_cards(self.graph.database, self.reader, ids)
        assert sorted(cards) == sorted(visible)
        assert {id_ for id_, card in cards.items() if card.retracted} == self.world.retracted & set(visible)
        answers = await replies(self.graph.database, self.reader, ids, 100, None)
        counts = await reply_counts(self.graph.database, self.reader, ids, 100)
        for id_ in ids:
            expected = sorted(x for x in visible if self.world.letters[x].parent == id_)
            assert sorted(card.id for card in answers[id_].items) == expected
            assert counts.get(id_, 0) == len(expected)

    async def _threads(self) -> None:
        graph, world, reader = self.graph, self.world, self.reader
        threads = list(dict.fromkeys(letter.thread for letter in world.letters.values()))
        places = await rebuilt(graph.database, reader, threads)
        cards = await thread_cards(graph.database, reader, threads)
        counts = await spans(graph.database, reader, threads)
        people = await participants(graph.database, reader, threads)
        forked = await forks(graph.database, reader, threads)
        shown = Counter(place.message for of_thread in places.values() for place in of_thread.places if place.message)
        assert shown == Counter(world.seen_by(self.agent)), "a message is in one thread, once"
        for thread in threads:
            rows = [(place.message or "", place.depth) for place in places[thread].places]
            assert rows == list(world.rows(self.agent, thread))
            assert counts[thread].messages == sum(1 for message, _ in rows if message)
            assert (thread in cards) is bool(rows)
            assert [one.handle for one in people.get(thread, ())] == world.participants(self.agent, thread)
            origin = world.forked_from(thread)
            assert forked[thread].origin == (origin if origin and world.sees(self.agent, origin) else None)
        for id_, letter in world.letters.items():
            home = await thread_of(graph.database, reader, id_)
            assert home == (letter.thread if world.sees(self.agent, id_) else None)

    async def _search(self) -> None:
        graph, world = self.graph, self.world
        terms = search_terms(self.marker, graph.limits)
        found = [id_ for id_ in world.seen_by(self.agent) if id_ not in world.retracted]
        own = world.boxes[self.agent]
        tagged = {id_: own[id_].tags if id_ in own else set(world.letters[id_].tags) for id_ in found}
        asked = {
            SearchFilter(unread=True): [id_ for id_ in found if id_ in own and own[id_].unread],
            SearchFilter(tags=TAGS[:1]): [id_ for id_ in found if TAGS[0] in tagged[id_]],
            SearchFilter(sender=world.agents[0]): [x for x in found if world.letters[x].sender == world.agents[0]],
        }
        for chosen, expected in ((SearchFilter(), found), self.chance.choice(list(asked.items()))):
            page = await search(graph.database, self.reader, terms, chosen, 100, None)
            assert [card.id for card in page.items] == sorted(expected, reverse=True)
            assert (await search_total(graph.database, self.reader, terms, chosen)).count == len(expected)

    async def _sent(self) -> None:
        own = [letter for letter in self.world.letters.values() if letter.sender == self.agent]
        newest_first = sorted(own, key=lambda letter: (letter.at, letter.id), reverse=True)
        asked = {
            SentFilter(tags=TAGS[:1]): [letter for letter in newest_first if TAGS[0] in letter.tags],
            **{
                SentFilter(to=address): [x for x in newest_first if address in (*x.to, *x.cc)]
                for address in (self.world.queue, self.world.agents[0])
            },
        }
        for chosen, expected in ((SentFilter(), newest_first), self.chance.choice(list(asked.items()))):
            page = await sent(self.graph.database, self.agent, chosen, 100, None)
            assert [card.id for card in page.items] == [letter.id for letter in expected]
            assert (await sent_total(self.graph.database, self.agent, chosen)).count == len(expected)

    async def _receipts(self) -> None:
        ids = list(self.world.letters)
        found = await receipts(self.graph.database, Reader.alone(self.agent), ids, 10_000, None)
        counts = await receipt_counts(self.graph.database, Reader.alone(self.agent), ids)
        for id_, letter in self.world.letters.items():
            if letter.sender != self.agent:
                assert (found[id_].items, counts.get(id_, 0)) == ((), 0)
                continue
            assert len(found[id_].items) == counts.get(id_, 0)
            # A broadcast comes to agents of other stories too.
            ours = [receipt for receipt in found[id_].items if receipt.address in self.world.boxes]
            entries = {box: self.world.boxes[box][id_] for box in letter.boxes}
            assert {r.address: (r.via, r.seen_at is not None, r.read_at is not None) for r in ours} == {
                box: (letter.boxes[box], entry.seen, entry.read) for box, entry in entries.items()
            }

    async def _tasks(self) -> None:
        world = self.world
        visible = [task for task in world.tasks.values() if world.sees(self.agent, task.message)]
        cards = await task_cards(self.graph.database, self.reader, list(world.tasks))
        assert {(card.id, card.state, card.assignee, card.version) for card in cards.values()} == {
            (task.id, task.state, task.assignee, task.version) for task in visible
        }
        every = list(world.tasks.values())
        lists: dict[TaskRole, list[Task]] = {
            TaskRole.ASSIGNEE: [task for task in every if task.assignee == self.agent],
            TaskRole.ORIGINATOR: [task for task in every if task.originator == self.agent],
            TaskRole.CLAIMABLE: [task for task in every if world.claimable(self.agent, task)],
        }
        for role, expected in lists.items():
            page = await tasks(self.graph.database, self.reader, TaskFilter(role), 100, None)
            assert [card.id for card in page.items] == sorted((task.id for task in expected), reverse=True)
