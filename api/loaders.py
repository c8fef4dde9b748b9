"""One loader for each edge that a list can select, so that a list asks once and not once a row.

All are of one request and one reader; what he may not see, a loader answers with None.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import cached_property
from typing import TypeVar

from strawberry.dataloader import DataLoader

from graph import concepts, identities, memories, messages, queues, roles, search, sessions, tasks, threads
from graph.bootstrap import Graph
from graph.readers import Reader
from graph.receipts import Receipt, receipt_counts
from graph.receipts import receipts as receipt_pages
from graph.records import ConceptCard, Delivery, IdentityCard, MemoryCard, MessageCard, Page, SessionCard
from graph.rules.standing import Awaited, Rebuilt
from graph.scanning import COUNT_MOST

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
A = TypeVar("A", bound=Hashable)

PageOf = tuple[str, int, str | None]
EventPage = tuple[str, int, int]


class Loaders:
    """The loaders of one request."""

    def __init__(self, graph: Graph, reader: Reader) -> None:
        self._database = graph.database
        self._reader = reader
        self._limits = graph.limits

    @cached_property
    def message(self) -> DataLoader[str, MessageCard | None]:
        """Message cards by id."""
        return _loader(lambda ids: messages.message_cards(self._database, self._reader, ids))

    @cached_property
    def body(self) -> DataLoader[str, str | None]:
        """Bodies by message id, of messages that were found to be visible."""
        return _loader(lambda ids: messages.bodies(self._database, ids))

    @cached_property
    def recipients(self) -> DataLoader[str, list[messages.Addressee] | None]:
        """Addressees by message id, of messages that were found to be visible."""
        return _loader(lambda ids: messages.recipients(self._database, ids))

    @cached_property
    def references(self) -> DataLoader[str, messages.References | None]:
        """What a message refers to, of messages that were found to be visible."""
        return _loader(lambda ids: messages.references(self._database, ids))

    @cached_property
    def own_entry(self) -> DataLoader[str, Delivery | None]:
        """The reader's own mailbox entries, by message id."""
        return _loader(lambda ids: search.own_entries(self._database, self._reader.handle, ids))

    @cached_property
    def replies(self) -> DataLoader[PageOf, Page[MessageCard, str] | None]:
        """Pages of replies by (message or memory, first, after); keys of one size and place are one query."""
        return _loader(self._reply_pages)

    @cached_property
    def reply_count(self) -> DataLoader[str, int | None]:
        """How many replies a message or memory has, counted no further than a total is."""
        most = COUNT_MOST + 1
        return _loader(lambda ids: messages.reply_counts(self._database, self._reader, ids, most))

    @cached_property
    def receipts(self) -> DataLoader[PageOf, Page[Receipt, str] | None]:
        """Pages of receipts by (message, first, after), of messages that the reader sent."""
        return _loader(self._receipt_pages)

    @cached_property
    def receipt_count(self) -> DataLoader[str, int | None]:
        """How many mailboxes got a message that the reader sent."""
        return _loader(lambda ids: receipt_counts(self._database, self._reader, ids))

    @cached_property
    def identity(self) -> DataLoader[str, IdentityCard | None]:
        """Identities by handle."""
        return _loader(lambda handles: identities.identity_cards(self._database, handles))

    @cached_property
    def role(self) -> DataLoader[str, roles.RoleCard | None]:
        """Roles by address."""
        return _loader(lambda addresses: roles.role_cards(self._database, addresses))

    @cached_property
    def role_members(self) -> DataLoader[str, list[str] | None]:
        """Handles of a role's members, by its address."""
        return _loader(lambda addresses: roles.role_members(self._database, addresses))

    @cached_property
    def claim(self) -> DataLoader[tuple[str, str], queues.ClaimState | None]:
        """How entries of queues stand, by queue and message."""
        return _loader(lambda entries: queues.claim_states(self._database, entries))

    @cached_property
    def thread(self) -> DataLoader[str, threads.ThreadCard | None]:
        """Threads by id."""
        return _loader(lambda ids: threads.thread_cards(self._database, self._reader, ids))

    @cached_property
    def rebuilt(self) -> DataLoader[str, Rebuilt | None]:
        """Rebuilt threads by id."""
        most = self._limits.thread_members
        return _loader(lambda ids: threads.rebuilt(self._database, self._reader, ids, most))

    @cached_property
    def awaited(self) -> DataLoader[tuple[str, str | None], list[Awaited] | None]:
        """Whose replies are awaited in a thread, by its id and who asked for them; None: whoever did."""
        return _loader(self._awaited)

    @cached_property
    def span(self) -> DataLoader[str, threads.Span | None]:
        """How many messages of a thread are visible, and when the last was sent, by thread id."""
        return _loader(lambda ids: threads.spans(self._database, self._reader, ids))

    @cached_property
    def participants(self) -> DataLoader[str, list[threads.Participant] | None]:
        """A thread's participants, by thread id."""
        return _loader(lambda ids: threads.participants(self._database, self._reader, ids))

    @cached_property
    def forks(self) -> DataLoader[str, threads.Forks | None]:
        """Where threads forked, by thread id."""
        return _loader(lambda ids: threads.forks(self._database, self._reader, ids))

    @cached_property
    def session(self) -> DataLoader[str, SessionCard | None]:
        """Sessions by id."""
        return _loader(lambda ids: sessions.session_cards(self._database, self._reader, ids))

    @cached_property
    def memory(self) -> DataLoader[str, MemoryCard | None]:
        """Memories by id."""
        return _loader(lambda ids: memories.memory_cards(self._database, self._reader, ids))

    @cached_property
    def ticket(self) -> DataLoader[str, messages.TicketCard | None]:
        """Tickets by key."""
        return _loader(lambda keys: messages.ticket_cards(self._database, self._reader, keys))

    @cached_property
    def concept(self) -> DataLoader[str, ConceptCard | None]:
        """Concepts by name or alias."""
        return _loader(lambda names: concepts.concept_cards(self._database, self._reader, names))

    @cached_property
    def concept_relations(self) -> DataLoader[str, concepts.Relations | None]:
        """What the ontology says of concepts, by name, of concepts that were found to be visible."""
        return _loader(lambda names: concepts.relations(self._database, names))

    @cached_property
    def concept_counts(self) -> DataLoader[str, concepts.Counts | None]:
        """Entries of the reader's own inbox, by the name of a concept."""
        return _loader(lambda names: concepts.counts(self._database, self._reader.handle, names))

    @cached_property
    def message_concepts(self) -> DataLoader[str, list[concepts.TaggedWith] | None]:
        """What messages are tagged with, by id, of messages that were found to be visible."""
        return _loader(lambda ids: concepts.message_concepts(self._database, ids))

    @cached_property
    def task(self) -> DataLoader[str, tasks.TaskCard | None]:
        """Tasks by id."""
        return _loader(lambda ids: tasks.task_cards(self._database, self._reader, ids))

    @cached_property
    def message_task(self) -> DataLoader[str, tasks.TaskCard | None]:
        """Tasks by message id, of messages that were found to be visible."""
        return _loader(lambda ids: tasks.tasks_of_messages(self._database, ids))

    @cached_property
    def task_events(self) -> DataLoader[EventPage, Page[tasks.TaskEvent, int] | None]:
        """Pages of events by (task, first, after), of tasks that were found to be visible."""
        return _loader(self._event_pages)

    async def _awaited(self, keys: Sequence[tuple[str, str | None]]) -> dict[tuple[str, str | None], list[Awaited]]:
        awaited: dict[tuple[str, str | None], list[Awaited]] = {}
        for asker in dict.fromkeys(asker for _, asker in keys):
            ids = [id_ for id_, of in keys if of == asker]
            loaded = zip(ids, await self.rebuilt.load_many(ids), strict=True)
            known = {id_: thread for id_, thread in loaded if thread is not None}
            found = await threads.awaited_replies(self._database, self._reader, known, asker)
            awaited |= {(id_, asker): of_thread for id_, of_thread in found.items()}
        return awaited

    async def _event_pages(self, keys: Sequence[EventPage]) -> dict[EventPage, Page[tasks.TaskEvent, int]]:
        return await _paged(keys, lambda *page: tasks.task_events(self._database, *page))

    async def _reply_pages(self, keys: Sequence[PageOf]) -> dict[PageOf, Page[MessageCard, str]]:
        return await _paged(keys, lambda *page: messages.replies(self._database, self._reader, *page))

    async def _receipt_pages(self, keys: Sequence[PageOf]) -> dict[PageOf, Page[Receipt, str]]:
        return await _paged(keys, lambda *page: receipt_pages(self._database, self._reader, *page))


async def _paged(
    keys: Sequence[tuple[str, int, A]], fetch: Callable[[Sequence[str], int, A], Awaitable[dict[str, V]]]
) -> dict[tuple[str, int, A], V]:
    """Fetch pages, those of one size and place together."""
    found: dict[tuple[str, int, A], V] = {}
    for first, after in dict.fromkeys((first, after) for _, first, after in keys):
        ids = [id_ for id_, *place in keys if place == [first, after]]
        found |= {(id_, first, after): page for id_, page in (await fetch(ids, first, after)).items()}
    return found


def _loader(fetch: Callable[[Sequence[K]], Awaitable[dict[K, V]]]) -> DataLoader[K, V | None]:
    async def load(keys: list[K]) -> list[V | None]:
        found = await fetch(keys)
        return [found.get(key) for key in keys]

    return DataLoader(load_fn=load)
