"""What an import keeps of a mail between reading and writing it: everything but the text. As a line, too. Pure."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from seed.mail.handles import handle_for
from seed.mail.mbox import Span
from seed.mail.parsing import ParsedMail
from seed.mail.planning import MailRecord
from seed.mail.problems import DateSource, Problem
from seed.mail.reading import MailFile, Place, RawMail, Skipped


@dataclass(frozen=True, slots=True)
class Sender:
    """Who a mail is from, as a handle that may stand for somebody else here, and the name in its header."""

    handle: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Note:
    """One mail that was read. ``size`` is as ``RawMail`` has it."""

    record: MailRecord
    sender: Sender
    problems: tuple[Problem, ...]
    place: Place
    size: int

    @classmethod
    def of(cls, mail: ParsedMail, raw: RawMail, position: int) -> "Note":
        """Return the note of a mail."""
        sender = Sender(handle_for(mail.sender_address), mail.sender_name if mail.sender_address else None)
        return cls(MailRecord.of(mail, position), sender, mail.problems, raw.place, raw.size)

    @property
    def name(self) -> str:
        """The mail's name, as reports give it."""
        return self.record.name


def encoded(note: Note | Skipped) -> list[Any]:
    """Return what a line says of a mail, beside its file."""
    span = None if note.place is None else note.place.span
    place = [note.size, None if span is None else [span.offset, span.length]]
    if isinstance(note, Skipped):
        return [*place, note.name, note.reason]
    record = note.record
    return [
        *place,
        record.name,
        None,
        record.message_id,
        record.in_reply_to,
        record.references,
        None if record.date is None else record.date.isoformat(),
        record.date_source,
        record.digest,
        record.topic,
        record.is_reply,
        note.sender.handle,
        note.sender.name,
        note.problems,
    ]


def decoded(said: list[Any], index: int, position: int) -> Note | Skipped:
    """Return what a line says. ``index`` is the number of its file, ``position`` that of the mail in this import."""
    size, span, name, reason, *rest = said
    place = Place(index, None if span is None else Span(*span))
    if reason is not None:
        return Skipped(name, reason, size, place)
    message_id, in_reply_to, references, date, source, digest, topic, is_reply, handle, display_name, problems = rest
    record = MailRecord(
        position=position,
        name=name,
        message_id=message_id,
        in_reply_to=in_reply_to,
        references=tuple(references),
        date=None if date is None else datetime.fromisoformat(date).astimezone(UTC),
        date_source=None if source is None else DateSource(source),
        digest=digest,
        topic=topic,
        is_reply=is_reply,
    )
    return Note(record, Sender(handle, display_name), tuple(map(Problem, problems)), place, size)


def end_of(note: Note | Skipped) -> int:
    """Return the byte of its file at which a mail ends."""
    span = None if note.place is None else note.place.span
    return note.size if span is None else span.offset + span.length


def line_of(file: MailFile, note: Note | Skipped) -> bytes:
    """Return the line of a mail and of the file, as it was then."""
    # In ASCII with escapes, so that a file name that is no UTF-8 comes back as it was.
    return json.dumps([file.name, file.size, file.changed, encoded(note)], separators=(",", ":")).encode() + b"\n"
