"""The rules as sets and lists: what a story's mailboxes must hold, and who may see what of it (DESIGN §3).

Nothing here asks the program, but for the ids and times that it made. ``step`` counts what has happened.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from graph.errors import RefusalCode
from graph.rules.addresses import EVERYONE
from graph.rules.marking import Mark
from graph.rules.planning import Via
from graph.rules.tasks import TaskState


@dataclass(frozen=True)
class Letter:
    """A message as it was sent. ``boxes`` are the story's mailboxes that it came to."""

    id: str
    at: datetime
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    thread: str
    parent: str | None
    tags: tuple[str, ...]
    boxes: dict[str, Via]


@dataclass
class Entry:
    """A letter in a mailbox. ``changed`` is the step of its last change; the rest of it only a queue's entry needs."""

    message: str
    tags: set[str]
    changed: int
    unread: bool = True
    archived: bool = False
    seen: bool = False
    read: bool = False
    holder: str | None = None
    until: datetime | None = None
    token: str | None = None
    finished: bool = False


@dataclass
class Task:
    """A task that a letter carries; ``offered`` to whoever claims it first."""

    id: str
    message: str
    originator: str
    assignee: str | None
    expires: bool
    offered: bool
    state: TaskState = TaskState.SUBMITTED
    version: int = 0

    @property
    def open(self) -> bool:
        """Whether somebody, or the clock, may still move it."""
        return self.state in (TaskState.SUBMITTED, TaskState.WORKING)


@dataclass
class World:
    """Some agents, a role that copies and one that queues, and everything that there is between them."""

    agents: tuple[str, ...]
    each: str
    queue: str
    step: int = 0
    members: dict[str, set[str]] = field(default_factory=dict)
    grants: set[tuple[str, str]] = field(default_factory=set)
    blocks: set[tuple[str, str]] = field(default_factory=set)
    letters: dict[str, Letter] = field(default_factory=dict)
    boxes: dict[str, dict[str, Entry]] = field(default_factory=dict)
    retracted: set[str] = field(default_factory=set)
    tasks: dict[str, Task] = field(default_factory=dict)
    #: Handovers that nobody has accepted, by owner, and those accepted, by owner and session.
    stack: dict[str, list[str]] = field(default_factory=dict)
    held: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with empty mailboxes, roles and stacks."""
        self.members = {self.each: set(), self.queue: set()}
        self.boxes = {address: {} for address in (*self.agents, self.queue)}
        self.stack = {agent: [] for agent in self.agents}

    @property
    def addresses(self) -> tuple[str, ...]:
        """Whom one can write to."""
        return (*self.agents, self.each, self.queue)

    # Who may see what.

    def works(self, agent: str) -> bool:
        """Tell whether an agent works on the queue: a member that is not kept out."""
        return agent in self.members[self.queue] and (agent, self.queue) not in self.blocks

    def readable(self, agent: str) -> set[str]:
        """Return the mailboxes that an agent may read: its own, its queue's, and those granted it. A block wins."""
        granted = {mailbox for reader, mailbox in self.grants - self.blocks if reader == agent}
        return {agent} | granted | ({self.queue} if self.works(agent) else set())

    def sees(self, agent: str, message: str) -> bool:
        """Tell whether an agent may see a message: it sent it, or it lies in a mailbox that it may read."""
        letter = self.letters[message]
        return letter.sender == agent or bool(self.readable(agent) & letter.boxes.keys())

    def seen_by(self, agent: str) -> list[str]:
        """Return the messages that an agent may see, oldest first."""
        return [message for message in self.letters if self.sees(agent, message)]

    def rows(self, agent: str, thread: str, parent: str | None = None, depth: int = 0) -> Iterator[tuple[str, int]]:
        """Yield a thread's rows as the agent sees it: a message's id, or nothing for a gap, and the depth."""
        inside = [letter for letter in self.letters.values() if letter.thread == thread]
        ids = {letter.id for letter in inside}
        below = [x for x in inside if (x.parent if x.parent in ids else None) == parent]
        for letter in sorted(below, key=lambda x: (x.at, x.id)):
            under = list(self.rows(agent, thread, letter.id, depth + 1))
            if self.sees(agent, letter.id):
                yield letter.id, depth
            elif under:
                yield "", depth
            yield from under

    def forked_from(self, thread: str) -> str | None:
        """Return the message of another thread that a thread began as a reply to."""
        first = next(letter for letter in self.letters.values() if letter.thread == thread)
        return first.parent

    def participants(self, agent: str, thread: str) -> list[str]:
        """Return who wrote, or is named, in what the agent sees of a thread."""
        letters = [x for x in self.letters.values() if x.thread == thread and self.sees(agent, x.id)]
        named = {address for x in letters for address in (x.sender, *x.to, *x.cc)}
        return sorted(named & set(self.agents))

    def takes_part(self, agent: str, thread: str) -> bool:
        """Tell whether an agent may put a new root into a thread: it wrote there, or got some of it itself."""
        own = {agent} | ({self.queue} if self.works(agent) else set())
        there = [x for x in self.letters.values() if x.thread == thread]
        return any(x.sender == agent or own & x.boxes.keys() for x in there)

    # Sending.

    def answered(self, sender: str, parent: str) -> tuple[str, ...]:
        """Return whom a reply that names nobody is for."""
        letter = self.letters[parent]
        return letter.to if letter.sender == sender else (letter.sender,)

    def refuses_mail(
        self, sender: str, addresses: Iterable[str], parent: str | None, thread: str | None
    ) -> RefusalCode | None:
        """Return how a send must be refused, None where it must not. ``thread`` is one to put a root into."""
        if parent is not None and not self.sees(sender, parent):
            return RefusalCode.NOT_FOUND
        if any((sender, address) in self.blocks for address in addresses):
            return RefusalCode.BLOCKED
        if thread is not None and not self.takes_part(sender, thread):
            return RefusalCode.NOT_FOUND
        return None

    def reached(self, sender: str, addresses: Iterable[str]) -> tuple[dict[str, Via], set[str]]:
        """Return which mailboxes a message comes to, each by the most direct way, and who is skipped for a block."""
        boxes: dict[str, Via] = {}
        skipped: set[str] = set()
        for via in (Via.BROADCAST, Via.ROLE, Via.DIRECT):
            for address in addresses:
                wide = {EVERYONE: (Via.BROADCAST, set(self.agents)), self.each: (Via.ROLE, self.members[self.each])}
                how, audience = wide.get(address, (Via.ROLE if address == self.queue else Via.DIRECT, {address}))
                if how is via and address in wide:
                    blocking = {a for a in audience if (sender, a) in self.blocks}
                    skipped |= blocking - {sender}
                    audience = audience - blocking - {sender}
                if how is via:
                    boxes |= dict.fromkeys(audience, via)
        return boxes, skipped

    def sent(self, letter: Letter) -> None:
        """Put a letter where it belongs."""
        self.letters[letter.id] = letter
        for box in letter.boxes:
            self.boxes[box][letter.id] = Entry(letter.id, set(letter.tags), self.step)

    # What owners do.

    def mark(self, owner: str, how: Mark, messages: Iterable[str]) -> None:
        """Mark entries; what is so already does not change."""
        for entry in (self.boxes[owner][message] for message in messages if message in self.boxes[owner]):
            before = entry.unread, entry.archived
            entry.unread = how is Mark.UNREAD or (entry.unread and how is not Mark.READ)
            entry.archived = how is Mark.ARCHIVE or (entry.archived and how is not Mark.UNARCHIVE)
            if (entry.unread, entry.archived) != before:
                entry.changed = self.step
                entry.read |= how is Mark.READ

    def up_to(self, owner: str, how: Mark, step: int, *, include_unseen: bool) -> list[str]:
        """Return the entries that a mark up to the state of a step is for: of the inbox, or of the archive."""
        known = [entry for entry in self.boxes[owner].values() if entry.changed <= step]
        there = [entry for entry in known if entry.archived is (how is Mark.UNARCHIVE)]
        return [entry.message for entry in there if entry.seen or include_unseen]

    def tag(self, owner: str, messages: Iterable[str], add: set[str], remove: set[str]) -> None:
        """Change an owner's tags of entries."""
        for entry in (self.boxes[owner][message] for message in messages):
            tags = (entry.tags - remove) | add
            if tags != entry.tags:
                entry.tags, entry.changed = tags, self.step

    def touch(self, message: str) -> None:
        """Note that something of a message changed for all who have it."""
        for box in self.letters[message].boxes:
            self.boxes[box][message].changed = self.step

    def accepted(self, owner: str, session: str, messages: list[str]) -> None:
        """Note that a session took handovers: they are read."""
        self.held[owner, session] = messages
        for entry in (self.boxes[owner][message] for message in messages):
            entry.unread, entry.read, entry.changed = False, True, self.step

    def given_back(self, owner: str, session: str) -> list[str]:
        """Note that a session gave back what it held, and return that; it is pending again, in its old order."""
        messages, order = self.held.pop((owner, session)), list(self.boxes[owner])
        self.stack[owner] = sorted(self.stack[owner] + messages, key=order.index)
        for message in messages:
            self.boxes[owner][message].changed = self.step
        return messages

    def unread(self, box: str) -> set[str]:
        """Return what a mailbox counts as unread."""
        return {entry.message for entry in self.boxes[box].values() if entry.unread and not entry.archived}

    # Tasks, and the entries of the queue.

    def received(self, agent: str, message: str) -> bool:
        """Tell whether a message came to an agent, or to the queue that it works on."""
        boxes = self.letters[message].boxes
        return agent in boxes or (self.queue in boxes and self.works(agent))

    def claimable(self, agent: str, task: Task) -> bool:
        """Tell whether an agent may make a task its own."""
        free = task.state is TaskState.SUBMITTED and task.offered and task.assignee is None
        return free and task.originator != agent and self.received(agent, task.message)

    def moves(self, agent: str, task: Task, to: TaskState) -> bool:
        """Tell whether an agent may take a task there."""
        match to:
            case TaskState.WORKING:
                own = task.state is TaskState.SUBMITTED and task.assignee == agent
                return own or self.claimable(agent, task)
            case TaskState.COMPLETED:
                return task.state is TaskState.WORKING and task.assignee == agent
            case _:
                return task.open and task.originator == agent

    def refuses_queue(self, agent: str) -> RefusalCode | None:
        """Return how an agent must be kept from the queue's entries, None where it works on it."""
        if self.queue not in self.readable(agent):
            return RefusalCode.NOT_FOUND
        return None if self.works(agent) else RefusalCode.FORBIDDEN

    def free(self, now: datetime) -> list[str]:
        """Return the entries of the queue that anybody may claim, oldest first."""
        entries = self.boxes[self.queue].values()
        return [e.message for e in entries if not e.finished and (e.until is None or e.until <= now)]
