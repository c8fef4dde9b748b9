"""The decision of a send: what one draft becomes, given what the graph says under its locks.

Load, decide, write: ``graph.writing`` loads a ``Facts`` and a ``DraftFacts`` for each draft, this module decides, and
the outcome is either a ``PlannedMessage`` to write, a ``Duplicate`` to answer with, or a refusal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Self

from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id, new_id
from graph.rules.addresses import EVERYONE
from graph.rules.drafts import NEW_THREAD, Draft, content_hash, handover_to_others
from graph.rules.rights import RoleDelivery, Standing, audience, check_recipient, check_sender, members
from graph.rules.tasks import first_assignee
from graph.rules.text import shown


class Via(StrEnum):
    """How a message came to a mailbox; the most direct way counts."""

    DIRECT = "DIRECT"
    ROLE = "ROLE"
    BROADCAST = "BROADCAST"


class RecipientKind(StrEnum):
    """Whether an address stood in To or in Cc."""

    TO = "TO"
    CC = "CC"


@dataclass(frozen=True)
class FreshIds:
    """The time and the ids that a message may need. Made before the transaction, which may run twice.

    The time is whole milliseconds, as it is stored and read back. What most messages have no use for is made when it is
    first asked for, and then stays, so that a transaction that runs again finds the same.
    """

    at: datetime
    message: str

    @classmethod
    def made(cls, at: datetime) -> Self:
        """Return new ids whose time is ``at``."""
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        return cls(at, new_id(Prefix.MESSAGE, at))

    @cached_property
    def thread(self) -> str:
        """The id of the thread that the message begins."""
        return new_id(Prefix.THREAD, self.at)

    @cached_property
    def session(self) -> str:
        """The id of the session that the message opens."""
        return new_id(Prefix.SESSION, self.at)

    @cached_property
    def task(self) -> str:
        """The id of the task that the message carries."""
        return new_id(Prefix.TASK, self.at)


@dataclass(frozen=True, slots=True)
class Parent:
    """What a reply answers. ``thread`` is None for a memory; ``recipients`` are the To addresses of a message."""

    id: str
    visible: bool
    author: str
    thread: str | None
    recipients: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftFacts:
    """What the graph knows of one draft's references. Absent means: not there, or not for this sender to see."""

    duplicate: tuple[str, str] | None = None
    parent: Parent | None = None
    participates: bool = False
    origin_session: str | None = None
    related_sessions: Mapping[str, str] = field(default_factory=dict)
    memories: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that the message brings into being by naming it as its own origin."""

    id: str
    agent: str
    external_id: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """The task that a message carries; without ``assignee`` it is there to be claimed. ``expires_at`` is to come."""

    id: str
    assignee: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """A message as it will be written, every reference resolved. ``skipped`` is how many block its sender.

    ``content_hash`` is of a draft with an idempotency key, whose retries are compared by it.
    """

    id: str
    draft: Draft
    content_hash: str | None
    created_at: datetime
    thread: str
    new_thread: bool
    forked_from: str | None
    parent: Parent | None
    addresses: tuple[tuple[str, RecipientKind], ...]
    deliveries: tuple[tuple[str, Via], ...]
    skipped: int
    origin_session: str | None
    new_session: NewSession | None
    related_sessions: tuple[str, ...]
    task: PlannedTask | None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The message that an earlier send with the same idempotency key made."""

    id: str


def plan(draft: Draft, facts: DraftFacts, standing: Standing, ids: FreshIds) -> PlannedMessage | Duplicate:
    """Decide one draft. Raises Refused; whatever is raised, nothing was written."""
    said = None if draft.idempotency_key is None else content_hash(_meant(draft, facts, ids))
    if facts.duplicate is not None:
        return _duplicate(draft, said, facts.duplicate)
    check_sender(draft.sender, standing)
    parent = _parent(draft, facts)
    addresses = addressed(draft, parent)
    if draft.is_handover and addresses != ((draft.sender, RecipientKind.TO),):
        raise handover_to_others()
    for address, kind in addresses:
        check_recipient(draft.sender, address, kind.lower(), standing)
    thread, new_thread, forked_from = _thread(draft, facts, parent, ids)
    origin, new_session = _origin(draft, facts, ids)
    deliveries, skipped = _deliveries(draft.sender, addresses, standing)
    return PlannedMessage(
        id=ids.message,
        draft=draft,
        content_hash=said,
        created_at=ids.at,
        thread=thread,
        new_thread=new_thread,
        forked_from=forked_from,
        parent=parent,
        addresses=addresses,
        deliveries=deliveries,
        skipped=skipped,
        origin_session=origin,
        new_session=new_session,
        related_sessions=_related(draft, facts),
        task=_task(draft, addresses, ids),
    )


def _meant(draft: Draft, facts: DraftFacts, ids: FreshIds) -> Draft:
    """Return the draft with its recipients spelled out and its sessions by id: the same however they were named."""
    to = draft.to
    if to is None and facts.parent is not None and facts.parent.visible:
        to = tuple(address for address, kind in addressed(draft, facts.parent) if kind is RecipientKind.TO)
    opens = draft.origin_session is not None and not is_id(draft.origin_session, Prefix.SESSION)
    origin = facts.origin_session or (ids.session if opens else draft.origin_session)
    related = tuple(dict.fromkeys(facts.related_sessions.get(named, named) for named in draft.related_sessions))
    if (to, origin, related) == (draft.to, draft.origin_session, draft.related_sessions):
        return draft
    return replace(draft, to=to, origin_session=origin, related_sessions=related)


def _duplicate(draft: Draft, said: str | None, known: tuple[str, str]) -> Duplicate:
    message, earlier = known
    if earlier != said:
        raise Refused(
            RefusalCode.IDEMPOTENCY_CONFLICT,
            f"idempotencyKey {shown(draft.idempotency_key or '')} was used for a message with other content; "
            "use a new key for a new message.",
            field="idempotencyKey",
        )
    return Duplicate(message)


def _parent(draft: Draft, facts: DraftFacts) -> Parent | None:
    if draft.in_reply_to is None:
        return None
    if facts.parent is None or not facts.parent.visible:
        raise Refused(
            RefusalCode.NOT_FOUND,
            f"inReplyTo {shown(draft.in_reply_to)} is not a message or memory that you can see.",
            field="inReplyTo",
        )
    return facts.parent


def addressed(draft: Draft, parent: Parent | None) -> tuple[tuple[str, RecipientKind], ...]:
    """Return whom a draft that answers ``parent`` is for, To before Cc."""
    to = draft.to
    if to is None and parent is not None:
        # Whoever follows up on a message of their own writes to the same people again, as mail programs do.
        to = parent.recipients if parent.author == draft.sender and parent.recipients else (parent.author,)
    kinds = dict.fromkeys(draft.cc, RecipientKind.CC) | dict.fromkeys(to or (), RecipientKind.TO)
    return tuple(sorted(kinds.items(), key=lambda item: item[1] is RecipientKind.CC))


def _deliveries(
    sender: str, addresses: tuple[tuple[str, RecipientKind], ...], standing: Standing
) -> tuple[tuple[tuple[str, Via], ...], int]:
    """Return the mailboxes it goes to, each by the most direct way, and how many were left out for their blocks."""
    ways: dict[Via, dict[str, None]] = {via: {} for via in Via}
    skipped: set[str] = set()
    for address, _ in addresses:
        if address == EVERYONE:
            reached, blocking = audience(sender, standing)
            ways[Via.BROADCAST] |= dict.fromkeys(reached)
            skipped |= blocking
        elif (box := standing.boxes[address]).delivery == RoleDelivery.EACH:
            reached, blocking = members(sender, box, standing)
            ways[Via.ROLE] |= dict.fromkeys(reached)
            skipped |= blocking
        else:
            ways[Via.DIRECT if box.delivery is None else Via.ROLE][address] = None
    entries: dict[str, Via] = {}
    for via, reached_by in ways.items():
        for address in reached_by:
            entries.setdefault(address, via)
    return tuple(entries.items()), len(skipped)


def _task(draft: Draft, addresses: tuple[tuple[str, RecipientKind], ...], ids: FreshIds) -> PlannedTask | None:
    if draft.task is None:
        return None
    expires_at = draft.task.expires_at
    if expires_at is not None and expires_at <= ids.at:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"task.expiresAt {expires_at.isoformat()} is over; name a time to come, or leave it out.",
            field="task.expiresAt",
        )
    assignee = first_assignee([address for address, kind in addresses if kind is RecipientKind.TO])
    return PlannedTask(ids.task, assignee, expires_at)


def _thread(draft: Draft, facts: DraftFacts, parent: Parent | None, ids: FreshIds) -> tuple[str, bool, str | None]:
    """Return the thread, whether it is new, and the message it was forked from."""
    home = None if parent is None else parent.thread
    if draft.thread is None or draft.thread == home:
        return (home, False, None) if home is not None else (ids.thread, True, None)
    forked_from = parent.id if parent is not None and home is not None else None
    if draft.thread == NEW_THREAD:
        return ids.thread, True, forked_from
    if not facts.participates:
        raise Refused(
            RefusalCode.NOT_FOUND,
            f"thread {shown(draft.thread)} is not a thread you take part in; leave it out, or write '{NEW_THREAD}'.",
            field="thread",
        )
    if forked_from is not None:
        # A message has one parent and one thread; moving a branch into a third conversation would tear both.
        raise Refused(
            RefusalCode.CONFLICT,
            f"inReplyTo {shown(parent.id if parent else '')} belongs to another thread than {shown(draft.thread)}; "
            f"leave thread out to answer there, or write '{NEW_THREAD}' to fork.",
            field="thread",
        )
    return draft.thread, False, None


def _origin(draft: Draft, facts: DraftFacts, ids: FreshIds) -> tuple[str | None, NewSession | None]:
    named = draft.origin_session
    if named is None:
        return None, None
    if facts.origin_session is not None:
        return facts.origin_session, None
    opened = session_to_open(draft.sender, named, "originSession", ids)
    return opened.id, opened


def session_to_open(agent: str, named: str, field_name: str, ids: FreshIds) -> NewSession:
    """Return the session that naming it as one's own opens. Raises Refused when the name is one of our own ids."""
    if is_id(named, Prefix.SESSION):
        raise Refused(
            RefusalCode.NOT_FOUND,
            f"{field_name} {shown(named)} is not a session of yours; name it by the id your harness gave it.",
            field=field_name,
        )
    return NewSession(id=ids.session, agent=agent, external_id=named, started_at=ids.at)


def _related(draft: Draft, facts: DraftFacts) -> tuple[str, ...]:
    for named in draft.related_sessions:
        if named not in facts.related_sessions:
            raise Refused(
                RefusalCode.NOT_FOUND,
                f"relatedSessions: {shown(named)} is not a session you know.",
                field="relatedSessions",
            )
    for memory in draft.memories:
        if memory not in facts.memories:
            raise Refused(
                RefusalCode.NOT_FOUND, f"memories: {shown(memory)} is not a memory of yours.", field="memories"
            )
    return tuple(dict.fromkeys(facts.related_sessions[named] for named in draft.related_sessions))
