"""What the queries answer, as plain records. Times are aware and in UTC; lists are in the order the query names."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from graph.database import Row

T = TypeVar("T")
Key = TypeVar("Key")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Page(Generic[T, Key]):
    """One page of a list. ``end`` is where the next one goes on, a key that may lie past the last item."""

    items: tuple[T, ...]
    has_next: bool
    end: Key | None


@dataclass(frozen=True, slots=True)
class MessageCard:
    """A message as lists show it, without its body. The subject of a retracted message is empty."""

    id: str
    subject: str
    created_at: datetime
    priority: str
    expects_reply: bool
    retracted: bool
    tags: tuple[str, ...]
    provenance: str
    sender: str
    thread: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One mailbox entry: how and when a message came here, and what its owner did with it. ``tags`` are the owner's."""

    uid: int
    unread: bool
    delivered_at: datetime
    seen_at: datetime | None
    read_at: datetime | None
    archived_at: datetime | None
    via: str
    tags: tuple[str, ...]
    message: MessageCard


@dataclass(frozen=True, slots=True)
class IdentityCard:
    """An identity as the directory shows it."""

    handle: str
    display_name: str | None
    kind: str
    family: str | None
    status: str
    imported: bool
    created_at: datetime
    last_seen_at: datetime | None


@dataclass(frozen=True, slots=True)
class SessionCard:
    """A session of an agent; ``external_id`` is the id that its harness gave it."""

    id: str
    external_id: str | None
    agent: str
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class MemoryCard:
    """A memory that an agent kept; ``session`` is the id of the one it was recorded in, if any."""

    id: str
    text: str
    agent: str
    session: str | None
    tags: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class HandoverCard:
    """A handover's state; ``message`` is the id of the message that carries it."""

    uid: int
    message: str
    tags: tuple[str, ...]
    session: str
    accepted_by: str | None
    accepted_at: datetime | None

    @property
    def pending(self) -> bool:
        """Whether no session has accepted it."""
        return self.accepted_by is None


@dataclass(frozen=True, slots=True)
class ConceptCard:
    """A concept; ``registered`` when it is one of the operators' ontology."""

    name: str
    description: str | None
    registered: bool
    created_at: datetime


def moment(milliseconds: int) -> datetime:
    """Return the time of a row, which queries answer in milliseconds since 1970: the driver's own times cost more."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def milliseconds(moment: datetime) -> int:
    """Return a time as queries take it where many travel at once: the driver's own times cost more than the rest."""
    return (moment - _EPOCH) // _MILLISECOND


def optional_moment(value: int | None) -> datetime | None:
    """Return ``moment`` of a time, or None of None."""
    return None if value is None else moment(value)


def message_card(row: Row) -> MessageCard:
    """Return the card in a row with ``sender``, ``thread`` and the map ``message``."""
    message: dict[str, Any] = row["message"]
    return MessageCard(
        id=message["id"],
        subject=message["subject"],
        created_at=moment(message["createdAt"]),
        priority=message["priority"],
        expects_reply=message["expectsReply"],
        retracted=message["retracted"],
        tags=tuple(message["tags"]),
        provenance=message["provenance"],
        sender=row["sender"],
        thread=row["thread"],
    )


def delivery(row: Row) -> Delivery:
    """Return the mailbox entry in a row of an inbox query."""
    return Delivery(
        uid=row["uid"],
        unread=row["unread"],
        delivered_at=moment(row["deliveredAt"]),
        seen_at=optional_moment(row["seenAt"]),
        read_at=optional_moment(row["readAt"]),
        archived_at=optional_moment(row["archivedAt"]),
        via=row["via"],
        tags=tuple(row["tags"]),
        message=message_card(row),
    )


def identity_card(row: Row) -> IdentityCard:
    """Return the identity in a row of ``identities/cards``."""
    return IdentityCard(
        handle=row["handle"],
        display_name=row["displayName"],
        kind=row["kind"],
        family=row["family"],
        status=row["status"],
        imported=row["imported"],
        created_at=moment(row["createdAt"]),
        last_seen_at=optional_moment(row["lastSeenAt"]),
    )


def session_card(row: Row) -> SessionCard:
    """Return the session in a row of ``sessions/cards``."""
    return SessionCard(
        id=row["id"],
        external_id=row["externalId"],
        agent=row["agent"],
        started_at=moment(row["startedAt"]),
        ended_at=optional_moment(row["endedAt"]),
    )


def memory_card(row: Row) -> MemoryCard:
    """Return the memory in a row of ``memories/cards``."""
    return MemoryCard(
        id=row["id"],
        text=row["text"],
        agent=row["agent"],
        session=row["session"],
        tags=tuple(row["tags"]),
        created_at=moment(row["createdAt"]),
    )


def handover_card(row: Row) -> HandoverCard:
    """Return the handover in a row of the ``handovers`` queries."""
    return HandoverCard(
        uid=row["uid"],
        message=row["id"],
        tags=tuple(row["tags"]),
        session=row["session"],
        accepted_by=row["acceptedBy"],
        accepted_at=optional_moment(row["acceptedAt"]),
    )


def concept_card(row: Row) -> ConceptCard:
    """Return the concept in a row of ``concepts/cards``."""
    return ConceptCard(
        name=row["name"],
        description=row["description"],
        registered=row["registered"],
        created_at=moment(row["createdAt"]),
    )
