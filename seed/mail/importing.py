"""Importing mail: read it once to plan its threads, then write it in batches, parents before their answers.

A killed import leaves whole batches; the next one finds them and goes on.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path

from graph.bootstrap import Graph
from graph.engine import Progress
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, new_id
from graph.importing import add_mail, import_target, imported_senders, stored_mail
from graph.rules.importing import ImportedMail
from seed.mail.handles import handle_for
from seed.mail.parsing import ParsedMail, ParseLimits, parse_mail
from seed.mail.planning import KnownMail, MailRecord, Plan, PlannedMail, ThreadGroup, mentioned_ids
from seed.mail.reading import MailSource, Place, RawMail, survey
from seed.mail.report import ImportReport
from seed.mail.threading import plan_threads

BATCH_MAILS = 250
"""Mails of one transaction, at most."""
BATCH_CHARACTERS = 4 * 1024 * 1024
"""A batch ends with the mail whose text takes it past this."""
READ_AT_ONCE = 250
KEPT_CHARACTERS = 64 * 1024 * 1024
"""Texts up to so many characters are kept from reading to writing; the mails beyond are read twice."""
_CLOCKS_DIFFER = timedelta(days=1)


async def import_mail(graph: Graph, path: Path, into: str, *, progress: Progress | None = None) -> ImportReport:
    """Import the mails of an mbox or a folder tree into the mailbox ``into``, and return what was done.

    Mails that are in it already are not added again. Raises Refused when ``into`` is nobody here (UNKNOWN_ADDRESS, with
    candidates), or ``path`` holds no mail or changes while it is read (INVALID_INPUT); and DatabaseError.
    """
    began = time.monotonic()
    mailbox = await import_target(graph.database, into)
    import_ = _Import(graph, survey(path), mailbox, progress or _Quiet())
    await import_.run()
    import_.report.seconds = time.monotonic() - began
    return import_.report


@dataclass(frozen=True, slots=True)
class _Sender:
    handle: str
    name: str | None


@dataclass
class _Import:
    """One import while it goes on."""

    graph: Graph
    source: MailSource
    mailbox: str
    progress: Progress
    report: ImportReport = field(default_factory=ImportReport)
    records: list[MailRecord] = field(default_factory=list)
    # By position, as the records; each handle is kept once, however many mails are from it.
    places: list[Place] = field(default_factory=list)
    senders: list[_Sender] = field(default_factory=list)
    _kept: dict[int, ParsedMail] = field(default_factory=dict)
    _kept_characters: int = 0
    _known_senders: dict[_Sender, _Sender] = field(default_factory=dict)

    async def run(self) -> None:
        now = self.graph.clock.now()
        limits = ParseLimits(
            subject_chars=self.graph.limits.subject_characters,
            body_bytes=self.graph.limits.body_bytes,
            # Nothing was written later than now, but by a clock that is somewhat fast.
            latest_date=now + _CLOCKS_DIFFER,
        )
        await self._read(limits)
        plan = await self._plan()
        self.report.planned(plan)
        standing = await imported_senders(self.graph.database, self.graph.clock, self._names(plan))
        await self._write(plan, standing, limits, now)

    async def _read(self, limits: ParseLimits) -> None:
        """Note of every mail what planning needs; an archive's texts may not fit into memory."""
        count = self.source.mail_count
        mails = self.source.mails(self.report.skip)
        with _step(self.progress, self.source.total_bytes if count is None else count, "Reading mail"):
            # Some at a time, in a thread: whoever shares the event loop goes on, and can stop the import.
            while sizes := await asyncio.to_thread(self._read_some, mails, limits):
                self.progress.advance(sum(sizes) if count is None else len(sizes))

    def _read_some(self, mails: Iterator[RawMail], limits: ParseLimits) -> list[int]:
        """Note some mails and return their sizes; an empty list after the last one."""
        sizes: list[int] = []
        for raw in islice(mails, READ_AT_ONCE):
            mail = parse_mail(raw.name, raw.content, limits=limits)
            self.report.saw(mail)
            sender = _Sender(handle_for(mail.sender_address), mail.sender_name if mail.sender_address else None)
            self.senders.append(self._known_senders.setdefault(sender, sender))
            self.places.append(raw.place)
            if self._kept_characters + len(mail.body_text) <= KEPT_CHARACTERS:
                self._kept[len(self.records)] = mail
                self._kept_characters += len(mail.body_text)
            self.records.append(MailRecord.of(mail, len(self.records)))
            sizes.append(raw.size)
        return sizes

    async def _plan(self) -> Plan:
        ids = await asyncio.to_thread(mentioned_ids, self.records)
        stored = await stored_mail(self.graph.database, self.mailbox, ids)
        known = {mail_id: KnownMail(mail.thread, mail.created_at) for mail_id, mail in stored.known.items()}
        return await asyncio.to_thread(partial(plan_threads, self.records, known, awaited=stored.awaited))

    def _names(self, plan: Plan) -> dict[str, str | None]:
        """Return the handles of those who sent what is to be written, each with the first name it was given."""
        names: dict[str, str | None] = {}
        for mail in plan.mails:
            sender = self.senders[mail.record.position]
            names[sender.handle] = names.get(sender.handle) or sender.name
        return names

    async def _write(self, plan: Plan, standing: dict[str, str], limits: ParseLimits, now: datetime) -> None:
        pending = iter(plan.mails)
        write = _Writing(self, standing, now, _existing(plan))
        with _step(self.progress, len(plan.mails), f"Adding mail to {self.mailbox}"):
            batch = await asyncio.to_thread(self._batch, pending, limits)
            while batch:
                # The next mails are read while the database writes these.
                _, batch = await asyncio.gather(write.add(batch), asyncio.to_thread(self._batch, pending, limits))

    def _batch(self, pending: Iterator[PlannedMail], limits: ParseLimits) -> list[tuple[PlannedMail, ParsedMail]]:
        batch: list[tuple[PlannedMail, ParsedMail]] = []
        characters = 0
        for planned in pending:
            mail = self._kept.pop(planned.record.position, None) or self._read_again(planned.record, limits)
            batch.append((planned, mail))
            characters += len(mail.body_text)
            if len(batch) >= BATCH_MAILS or characters >= BATCH_CHARACTERS:
                break
        return batch

    def _read_again(self, record: MailRecord, limits: ParseLimits) -> ParsedMail:
        mail = parse_mail(record.name, self.source.load(self.places[record.position]), limits=limits)
        if mail.digest != record.digest:
            raise Refused(
                RefusalCode.INVALID_INPUT,
                f"path: {record.name} changed while it was imported; import it again.",
                field="path",
            )
        return mail


@dataclass
class _Writing:
    """The writing half of an import: what the batches share."""

    of: _Import
    standing: dict[str, str]
    now: datetime
    threads: dict[str, str]
    _fresh: dict[ThreadGroup, str] = field(default_factory=dict)
    _new: set[str] = field(default_factory=set)
    _joined: set[str] = field(default_factory=set)

    async def add(self, batch: list[tuple[PlannedMail, ParsedMail]]) -> None:
        graph, report = self.of.graph, self.of.report
        mails = [self._imported(planned, mail) for planned, mail in batch]
        placement = await add_mail(graph.database, graph.clock, self.of.mailbox, mails, self.threads, graph.limits)
        self.threads |= placement.threads
        present = {mail.mail_id for mail in placement.present}
        report.already_present += len(present)
        report.arrived_parents += len(placement.arrived)
        report.wrote(planned for planned, _ in batch if planned.record.message_id not in present)
        self._new |= {row.thread for row in placement.placed if row.new_thread}
        self._joined |= {row.thread for row in placement.placed if not row.new_thread} - self._new
        report.threads_new, report.threads_joined = len(self._new), len(self._joined)
        self.of.progress.advance(len(batch))

    def _imported(self, planned: PlannedMail, mail: ParsedMail) -> ImportedMail:
        """Return the mail as it is to be written; one without any date gets the time of the import."""
        date = planned.date or self.now
        group = planned.group
        if group not in self._fresh:
            self._fresh[group] = new_id(Prefix.THREAD, date)
        return ImportedMail(
            id=new_id(Prefix.MESSAGE, date),
            mail_id=mail.message_id,
            digest=mail.digest,
            sender=self.standing[self.of.senders[planned.record.position].handle],
            subject=mail.subject,
            body_text=mail.body_text,
            created_at=date,
            parent_mail=planned.parent,
            missing_mail=planned.missing_parent,
            group=group.first,
            thread=self._fresh[group],
        )


def _existing(plan: Plan) -> dict[str, str]:
    groups = {mail.group for mail in plan.mails}
    return {group.first: group.existing for group in groups if group.existing is not None}


@contextmanager
def _step(progress: Progress, total: int, description: str) -> Iterator[None]:
    progress.start(total, description)
    try:
        yield
    finally:
        progress.done()


class _Quiet:
    """Progress that nobody watches."""

    def start(self, total: int, description: str) -> None:
        """Do nothing."""

    def advance(self, amount: int = 1) -> None:
        """Do nothing."""

    def done(self) -> None:
        """Do nothing."""
