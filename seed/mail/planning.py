"""Which imported mail answers which, in which thread each goes, and in which order they are written. Pure.

No step recurses, so that a chain of a hundred thousand replies is as good as a short one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from seed.mail.parsing import ParsedMail
from seed.mail.problems import DateSource
from seed.mail.subjects import base_subject


@dataclass(frozen=True, slots=True)
class MailRecord:
    """As much of a mail as threading needs. ``position`` is its place in the source, and breaks ties."""

    position: int
    name: str
    message_id: str
    in_reply_to: str | None
    references: tuple[str, ...]
    date: datetime | None
    date_source: DateSource | None
    digest: str
    """Of what is imported of it: two mails of one id and another digest are a conflict."""
    topic: str = ""
    """What its subject is about; empty where that says nothing."""
    is_reply: bool = False
    """Whether its subject says that it answers something."""

    @classmethod
    def of(cls, mail: ParsedMail, position: int) -> "MailRecord":
        """Return the record of a parsed mail."""
        topic, is_reply = base_subject(mail.subject)
        return cls(
            position=position,
            name=mail.name,
            message_id=mail.message_id,
            in_reply_to=mail.in_reply_to,
            references=mail.references,
            date=mail.date,
            date_source=mail.date_source,
            digest=mail.content_digest,
            topic=topic,
            is_reply=is_reply,
        )

    @property
    def ancestors(self) -> Iterator[str]:
        """Ids this mail says it descends from, nearest first; never its own."""
        named = (self.in_reply_to, *reversed(self.references))
        return (found for found in dict.fromkeys(named) if found is not None and found != self.message_id)


class KnownMail(NamedTuple):
    """A mail of an earlier import: its thread's id, its date, and the digest of what was imported of it."""

    thread_id: str
    date: datetime | None = None
    digest: str | None = None


class Link(StrEnum):
    """What a mail's place under its parent rests on."""

    IN_REPLY_TO = "IN_REPLY_TO"
    REFERENCES = "REFERENCES"
    """The last of its References: the mail it answers, as RFC 5322 has it."""
    ANCESTOR = "ANCESTOR"
    """The mail it answers is not here; this is the nearest one above it that is."""
    SUBJECT = "SUBJECT"
    """It names no mail that it answers, and its subject is ``Re:`` that of this one; only where that was asked for."""


class ThreadGroup(NamedTuple):
    """A thread of the plan, usable as a key: an existing thread, or a new one named after its first mail."""

    existing: str | None
    first: str


@dataclass(frozen=True, slots=True)
class PlannedMail:
    """One mail to write, and where."""

    record: MailRecord
    parent: str | None
    """Message-ID of the mail it sits under, earlier in the plan or known before; None for a root."""
    link: Link | None
    missing_parent: str | None
    """Message-ID of the mail it answers, where that one is not here."""
    group: ThreadGroup
    date: datetime | None
    date_source: DateSource


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A mail whose Message-ID another one had first; ``conflicting`` when it does not say the same."""

    record: MailRecord
    kept: MailRecord
    conflicting: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything to write, parents always before their answers and else by date, and what is not written."""

    mails: tuple[PlannedMail, ...]
    already_present: tuple[MailRecord, ...]
    changed: tuple[MailRecord, ...]
    """Those of them that say something else than what is here, which stays."""
    duplicates: tuple[Duplicate, ...]
    broken_cycles: tuple[MailRecord, ...]
    """One for each cycle of mails that answer each other: the one that was made a root, the oldest."""


def mentioned_ids(records: Iterable[MailRecord]) -> frozenset[str]:
    """Return every id the records have or name: what the store must be asked about before ``plan``."""
    return frozenset(found for record in records for found in (record.message_id, *record.ancestors))
