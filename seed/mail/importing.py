"""Importing mail: read it once to plan its threads, then write it in batches, parents before their answers.

A killed import leaves whole batches and a journal of what it had read; the next one finds both and goes on.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from graph.bootstrap import Graph
from graph.engine import Progress
from graph.ids import Prefix, new_id
from graph.importing import add_mail, import_target, imported_senders, stored_mail
from graph.rules.importing import ImportedMail
from seed.mail.collecting import Collection
from seed.mail.journal import opened_journal
from seed.mail.parsing import ParsedMail, ParseLimits
from seed.mail.planning import KnownMail, Plan, PlannedMail, ThreadGroup, mentioned_ids
from seed.mail.reading import MailSource, survey
from seed.mail.report import ImportReport
from seed.mail.threading import plan_threads

BATCH_MAILS = 250
"""Mails of one transaction, at most."""
BATCH_CHARACTERS = 4 * 1024 * 1024
"""A batch ends with the mail whose text takes it past this."""
JOURNALS = "imports"
"""The folder in the home where an import notes what it has read, until it is done."""
_CLOCKS_DIFFER = timedelta(days=1)


async def import_mail(
    graph: Graph,
    path: Path,
    into: str,
    *,
    by_subject: bool = False,
    everything: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the mails of an mbox or a folder tree into the mailbox ``into``, and return what was done.

    Mails that are in it already are not added again. ``by_subject`` puts replies that name no mail under one of the
    same subject; ``everything`` takes what the owner of a Maildir threw away, drafted, or took for junk. Raises Refused
    when ``into`` is nobody here (UNKNOWN_ADDRESS, with candidates), or ``path`` holds no mail or changes while it is
    read (INVALID_INPUT); and DatabaseError.
    """
    began = time.monotonic()
    now = graph.clock.now()
    limits = ParseLimits(
        subject_chars=graph.limits.subject_characters,
        body_bytes=graph.limits.body_bytes,
        # Nothing was written later than now, but by a clock that is somewhat fast.
        latest_date=now + _CLOCKS_DIFFER,
    )
    mailbox = await import_target(graph.database, into)
    source = survey(path, everything=everything)
    report = ImportReport()
    with opened_journal(graph.settings.home / JOURNALS, source, limits) as journal:
        collection = Collection(source, journal, limits, report)
        import_ = _Import(graph, mailbox, collection, now, progress or _Quiet())
        await import_.run(by_subject=by_subject)
        journal.drop()
    report.seconds = time.monotonic() - began
    return report


@dataclass
class _Import:
    """One import while it goes on."""

    graph: Graph
    mailbox: str
    collection: Collection
    now: datetime
    progress: Progress

    async def run(self, *, by_subject: bool) -> None:
        await self._read(self.collection.source)
        plan = await self._plan(by_subject=by_subject)
        self.collection.report.planned(plan)
        standing = await imported_senders(self.graph.database, self.graph.clock, self._names(plan))
        await self._write(plan, standing)

    async def _read(self, source: MailSource) -> None:
        count = source.mail_count
        with _step(self.progress, source.total_bytes if count is None else count, "Reading mail"):
            # Some at a time, in a thread: whoever shares the event loop goes on, and can stop the import.
            while sizes := await asyncio.to_thread(self.collection.read_some):
                self.progress.advance(sum(sizes) if count is None else len(sizes))

    async def _plan(self, *, by_subject: bool) -> Plan:
        records = self.collection.records
        ids = await asyncio.to_thread(mentioned_ids, records)
        stored = await stored_mail(self.graph.database, self.mailbox, ids)
        known = {
            mail_id: KnownMail(mail.thread, mail.created_at, mail.content_hash)
            for mail_id, mail in stored.known.items()
        }
        planning = partial(plan_threads, records, known, awaited=stored.awaited, by_subject=by_subject)
        return await asyncio.to_thread(planning)

    def _names(self, plan: Plan) -> dict[str, str | None]:
        """Return the handles of those who sent what is to be written, each with the first name it was given."""
        names: dict[str, str | None] = {}
        for mail in plan.mails:
            sender = self.collection.senders[mail.record.position]
            names[sender.handle] = names.get(sender.handle) or sender.name
        return names

    async def _write(self, plan: Plan, standing: dict[str, str]) -> None:
        pending = iter(plan.mails)
        write = _Writing(self, standing, _existing(plan))
        with _step(self.progress, len(plan.mails), f"Adding mail to {self.mailbox}"):
            batch = await asyncio.to_thread(self._batch, pending)
            while batch:
                # The next mails are read while the database writes these.
                _, batch = await asyncio.gather(write.add(batch), asyncio.to_thread(self._batch, pending))

    def _batch(self, pending: Iterator[PlannedMail]) -> list[tuple[PlannedMail, ParsedMail]]:
        batch: list[tuple[PlannedMail, ParsedMail]] = []
        characters = 0
        for planned in pending:
            mail = self.collection.mail(planned.record)
            batch.append((planned, mail))
            characters += len(mail.body_text)
            if len(batch) >= BATCH_MAILS or characters >= BATCH_CHARACTERS:
                break
        return batch


@dataclass
class _Writing:
    """The writing half of an import: what the batches share."""

    of: _Import
    standing: dict[str, str]
    threads: dict[str, str]
    _fresh: dict[ThreadGroup, str] = field(default_factory=dict)
    _new: set[str] = field(default_factory=set)
    _joined: set[str] = field(default_factory=set)

    async def add(self, batch: list[tuple[PlannedMail, ParsedMail]]) -> None:
        graph, report = self.of.graph, self.of.collection.report
        mails = [self._imported(planned, mail) for planned, mail in batch]
        # The database is asked for a batch at a time, and so is what was decided before: an archive may be large.
        threads = {mail.group: self.threads[mail.group] for mail in mails if mail.group in self.threads}
        placement = await add_mail(graph.database, graph.clock, self.of.mailbox, mails, threads, graph.limits)
        self.threads |= placement.threads
        present = {mail.mail_id for mail in placement.present}
        report.already_present += len(present)
        report.arrived_parents += len(placement.arrived)
        report.forked += len(placement.forked)
        report.added_read += sum(row.mail.read for row in placement.placed)
        report.wrote(planned for planned, _ in batch if planned.record.message_id not in present)
        self._new |= {row.thread for row in placement.placed if row.new_thread}
        self._joined |= {row.thread for row in placement.placed if not row.new_thread} - self._new
        report.threads_new, report.threads_joined = len(self._new), len(self._joined)
        self.of.progress.advance(len(batch))

    def _imported(self, planned: PlannedMail, mail: ParsedMail) -> ImportedMail:
        """Return the mail as it is to be written; one without any date gets the time of the import."""
        date = planned.date or self.of.now
        group = planned.group
        if group not in self._fresh:
            self._fresh[group] = new_id(Prefix.THREAD, date)
        return ImportedMail(
            id=new_id(Prefix.MESSAGE, date),
            mail_id=mail.message_id,
            digest=mail.content_digest,
            sender=self.standing[self.of.collection.senders[planned.record.position].handle],
            subject=mail.subject,
            body_text=mail.body_text,
            created_at=date,
            parent_mail=planned.parent,
            missing_mail=planned.missing_parent,
            group=group.first,
            thread=self._fresh[group],
            read=self.of.collection.was_seen(planned.record),
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
