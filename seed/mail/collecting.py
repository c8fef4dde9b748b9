"""The reading half of an import: every mail once, and of each as much as planning and reporting need."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from graph.errors import RefusalCode, Refused
from seed.mail.journal import Journal
from seed.mail.notes import Note, Sender, decoded, end_of
from seed.mail.parsing import ParsedMail, ParseLimits, parse_mail
from seed.mail.planning import MailRecord
from seed.mail.reading import MailFile, MailSource, Place, RawMail, Skipped
from seed.mail.report import ImportReport

READ_AT_ONCE = 250
KEPT_CHARACTERS = 64 * 1024 * 1024
"""Texts up to so many characters are kept from reading to writing; the mails beyond are read twice."""


@dataclass
class Collection:
    """What was read of a source so far. Of each mail it holds a record, in lists by position, and no text for long."""

    source: MailSource
    journal: Journal
    limits: ParseLimits
    report: ImportReport
    records: list[MailRecord] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    senders: list[Sender] = field(default_factory=list)
    _kept: dict[int, ParsedMail] = field(default_factory=dict)
    _kept_characters: int = 0
    _known_senders: dict[Sender, Sender] = field(default_factory=dict)
    _known_ids: dict[str, str] = field(default_factory=dict)
    _notes: Iterator[tuple[MailFile, Note | Skipped, bool]] = field(init=False)

    def __post_init__(self) -> None:
        for reason, name in self.source.left_out:
            self.report.left_out[reason].add(name)
        self._notes = self._all()

    def read_some(self) -> list[int]:
        """Read some mails, note them in the journal, and return their sizes; an empty list after the last one."""
        read = list(islice(self._notes, READ_AT_ONCE))
        # What has no place is tried again by the next import: it may be there or readable by then.
        self.journal.add((file, note) for file, note, fresh in read if fresh and note.place is not None)
        for _, note, fresh in read:
            self._take(note, fresh=fresh)
        if not read:
            self._known_ids.clear()
        return [note.size for _, note, _ in read]

    def mail(self, record: MailRecord) -> ParsedMail:
        """Return a mail with its text, for the last time. Raises Refused when it is not any more what it was."""
        position = record.position
        if (kept := self._kept.pop(position, None)) is not None:
            return kept
        mail = parse_mail(record.name, self.source.load(self.places[position]), limits=self.limits)
        if (mail.message_id, mail.content_digest) != (record.message_id, record.digest):
            # Its file has the size and time that it had, or it changed just now: what was noted is not so.
            self.journal.drop()
            raise Refused(
                RefusalCode.INVALID_INPUT,
                f"path: {record.name} changed while it was imported; import it again.",
                field="path",
            )
        return mail

    def was_seen(self, record: MailRecord) -> bool:
        """Tell whether its owner had read a mail where it comes from."""
        return self.source.files[self.places[record.position].file].seen

    def _all(self) -> Iterator[tuple[MailFile, Note | Skipped, bool]]:
        """Yield every mail in the order of the source, and whether it was read now rather than by an earlier import."""
        position = 0
        for index, file in enumerate(self.source.files):
            end = 0
            noted = self.journal.noted(file)
            for said in noted:
                note = decoded(said, index, position)
                position += isinstance(note, Note)
                end = end_of(note)
                yield file, note, False
            if noted and end >= file.size:
                continue
            for raw in self.source.of_file(index, end, len(noted) + 1):
                if isinstance(raw, RawMail):
                    mail = parse_mail(raw.name, raw.content, limits=self.limits)
                    self._keep(position, mail)
                    yield file, Note.of(mail, raw, position), True
                    position += 1
                else:
                    yield file, raw, True

    def _keep(self, position: int, mail: ParsedMail) -> None:
        if self._kept_characters + len(mail.body_text) <= KEPT_CHARACTERS:
            self._kept[position] = mail
            self._kept_characters += len(mail.body_text)

    def _take(self, note: Note | Skipped, *, fresh: bool) -> None:
        if isinstance(note, Skipped):
            self.report.skip(note.name, note.reason)
            return
        self.report.saw(note, fresh=fresh)
        self.senders.append(self._known_senders.setdefault(note.sender, note.sender))
        self.places.append(note.place)
        self.records.append(self._sharing_ids(note.record))

    def _sharing_ids(self, record: MailRecord) -> MailRecord:
        """Return the record with each id held in memory once, however many mails name it."""
        known = self._known_ids
        return replace(
            record,
            message_id=known.setdefault(record.message_id, record.message_id),
            in_reply_to=record.in_reply_to and known.setdefault(record.in_reply_to, record.in_reply_to),
            references=tuple(known.setdefault(id_, id_) for id_ in record.references),
        )
