"""The part of a story that sends: letters, replies, forks, broadcasts, tasks and handovers."""

from dataclasses import dataclass
from datetime import timedelta

from graph.errors import RefusalCode
from graph.handovers import accept_handovers, return_handovers
from graph.messages import message_cards
from graph.readers import Reader
from graph.records import HandoverCard
from graph.rules.addresses import EVERYONE
from graph.rules.drafts import NEW_THREAD
from graph.rules.planning import Via
from graph.rules.tags import HANDOVER_TAG
from graph.rules.tasks import TaskRequest
from graph.tasks import tasks_of_messages
from tests.stories.steps import Step
from tests.stories.teller import Teller, refusal, told
from tests.stories.world import Letter, Task
from tests.support import Fields, message

SESSIONS = 3
HOUR = timedelta(hours=1)


@dataclass
class Sends(Teller):
    """Whoever writes to whom."""

    async def send(self, step: Step) -> None:
        """Write to one or two, and perhaps a copy to another."""
        to = {self.address(step.one): None} | ({self.address(step.two): None} if step.flag(0) else {})
        await self._sends(step, tuple(to), (self.address(step.one + step.two),) if step.flag(1) else ())

    async def broadcast(self, step: Step) -> None:
        """Write to everybody, and perhaps a copy to somebody who may be one of them."""
        await self._sends(step, (EVERYONE,), (self.address(step.one),) if step.flag(0) else ())

    async def reply(self, step: Step) -> None:
        """Answer a message, perhaps one that is not to be seen, to who wrote it or to somebody else; perhaps fork."""
        if parent := self.letter(step):
            to = (self.address(step.two),) if step.flag(0) else ()
            await self._sends(step, to, parent=parent, thread=NEW_THREAD if step.flag(1) else None)

    async def enter(self, step: Step) -> None:
        """Put a new root into a thread, perhaps one of others."""
        if letter := self.letter(step):
            await self._sends(step, (self.address(step.two),), thread=letter.thread)

    async def give(self, step: Step) -> None:
        """Give a task to one, to be claimed by several or by anybody; with an end, or without."""
        to = (EVERYONE,) if step.flag(0) else tuple({self.address(step.one): None, self.address(step.two): None})
        chosen = to[:1] if step.flag(1) else to
        await self._sends(step, chosen, task=TaskRequest(self.graph.clock.now() + HOUR if step.flag(2) else None))

    async def _sends(
        self,
        step: Step,
        to: tuple[str, ...],
        cc: tuple[str, ...] = (),
        *,
        parent: Letter | None = None,
        thread: str | None = None,
        task: TaskRequest | None = None,
    ) -> None:
        """Send it. ``to`` may be empty for a reply; ``thread`` is one that is there, or the word for a new one."""
        author, world = self.who(step), self.world
        said: Fields = {"body_text": f"High water, {self.marker}.", "cc": cc, "tags": self.tags(step)}
        if parent is not None:
            said["in_reply_to"] = parent.id
        if thread is not None:
            said["thread"] = thread
        if task is not None:
            said["task"] = task
        meant = to or (world.answered(author, parent.id) if parent is not None else ())
        copied = tuple(address for address in cc if address not in meant)
        answers, entered = None if parent is None else parent.id, None if thread == NEW_THREAD else thread
        expected = world.refuses_mail(author, (*meant, *copied), answers, entered)

        sent = await told(self.agents.submit(author, message(*to, **said)))

        assert refusal(sent) is expected
        if isinstance(sent, RefusalCode):
            return
        assert sent.card is not None
        home = parent.thread if parent is not None and thread is None else entered
        if home is None:
            assert sent.card.thread not in {letter.thread for letter in world.letters.values()}
        else:
            assert sent.card.thread == home
        boxes, skipped = world.reached(author, (*meant, *copied))
        assert sent.skipped == len(skipped)
        world.sent(
            Letter(
                sent.message,
                sent.card.created_at,
                author,
                meant,
                copied,
                sent.card.thread,
                answers,
                self.tags(step),
                boxes,
            )
        )
        if task is not None:
            await self._gave(sent.message, author, meant, task)

    async def _gave(self, message: str, author: str, to: tuple[str, ...], asked: TaskRequest) -> None:
        assignee = to[0] if len(to) == 1 and to[0] in self.world.agents else None
        card = (await tasks_of_messages(self.graph.database, [message]))[message]
        expires = asked.expires_at is not None
        self.world.tasks[card.id] = Task(card.id, message, author, assignee, expires, offered=assignee is None)

    # Handovers: letters to oneself.

    async def hand_over(self, step: Step) -> None:
        """Leave a handover for one's next session."""
        owner = self.who(step)
        id_ = await self.agents.hand_over(owner, f"old-{step.one % SESSIONS}", f"Read the log, {self.marker}.")
        card = (await message_cards(self.graph.database, Reader.alone(owner), [id_]))[id_]
        boxes = {owner: Via.DIRECT}
        self.world.sent(Letter(id_, card.created_at, owner, (owner,), (), card.thread, None, (HANDOVER_TAG,), boxes))
        self.world.stack[owner].append(id_)

    async def accept(self, step: Step) -> None:
        """Take what earlier sessions left. Whoever holds some already is told of those again, and takes no others."""
        owner, session = self.who(step), f"new-{step.one % SESSIONS}"
        graph, world = self.graph, self.world
        accepted = await accept_handovers(graph.database, graph.clock, owner, session, None, graph.limits)
        taken = world.held.get((owner, session))
        if not taken:
            taken, world.stack[owner] = world.stack[owner], []
            world.accepted(owner, session, taken)
        assert _messages(accepted.handovers) == taken

    async def give_back(self, step: Step) -> None:
        """Give back what one's session took."""
        owner, session = self.who(step), f"new-{step.one % SESSIONS}"
        if (owner, session) in self.world.held:
            returned = await return_handovers(self.graph.database, owner, session, None, self.graph.limits)
            assert _messages(returned) == self.world.given_back(owner, session)


def _messages(cards: tuple[HandoverCard, ...]) -> list[str]:
    return [card.message for card in cards]
