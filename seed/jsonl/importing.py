"""Importing lines: read and check some while the database writes those before, in one pass over the file.

A killed import leaves whole batches; the next one finds them and goes on.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from graph.bootstrap import Graph
from graph.engine import Progress
from graph.errors import RefusalCode, Refused
from graph.foreign import Added, ForeignMessage, add_foreign, create_people, known_people
from graph.ids import Prefix, new_id
from graph.rules.importing import ImportedMail
from graph.rules.text import shown
from seed.jsonl.lines import Line, opened_lines
from seed.jsonl.parsing import ParsedLine, parse_line
from seed.jsonl.report import LinesReport

BATCH_LINES = 500
"""Lines of one transaction, at most."""
BATCH_BYTES = 4 * 1024 * 1024
"""A batch ends with the line that takes it past this."""
_CLOCKS_DIFFER = timedelta(days=1)
_SOURCE = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class LinesInput:
    """What to import, and how. ``source`` names the other system: within it an id is one message.

    ``create_identities`` makes those that are missing; ``strict`` stops at the first line with a problem.
    """

    path: str
    source: str = "jsonl"
    create_identities: bool = False
    strict: bool = False


async def import_lines(graph: Graph, said: LinesInput, *, progress: Progress | None = None) -> LinesReport:
    """Import the messages of a file, or of standard input (``-``), to all their recipients; return what was done.

    Messages that are here already are not added again. Raises Refused (INVALID_INPUT) when the file cannot be read, or
    with ``strict`` for the first bad line, after whole batches before it; and DatabaseError.
    """
    if not _SOURCE.fullmatch(said.source):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"source {shown(said.source)} is not a name; write a-z, digits, '.', '_' and '-', such as 'oldmail'.",
            field="source",
        )
    began = time.monotonic()
    with opened_lines(said.path) as (lines, total):
        import_ = _Import(graph, said, lines)
        if progress is not None and total is not None:
            progress.start(total, f"Importing {said.path}")
        try:
            await import_.run(progress)
        finally:
            if progress is not None:
                progress.done()
    import_.report.seconds = time.monotonic() - began
    return import_.report


Numbered = tuple[int, ParsedLine]


@dataclass
class _Import:
    """One import while it goes on."""

    graph: Graph
    said: LinesInput
    lines: Iterator[Line]
    report: LinesReport = field(default_factory=LinesReport)
    _seen: dict[str, str] = field(default_factory=dict)
    _threads: dict[str, str] = field(default_factory=dict)
    _kinds: dict[str, str] = field(default_factory=dict)

    async def run(self, progress: Progress | None) -> None:
        latest = self.graph.clock.now() + _CLOCKS_DIFFER
        batch, size = await asyncio.to_thread(self._next, latest)
        while size:
            # The next lines are read and checked while the database writes these.
            (_, (following, next_size)) = await asyncio.gather(self._add(batch), asyncio.to_thread(self._next, latest))
            if progress is not None:
                progress.advance(size)
            batch, size = following, next_size

    def _next(self, latest: datetime) -> tuple[list[Numbered], int]:
        """Return the good ones of the next lines, answers after what they answer, and how many bytes were read."""
        batch: list[Numbered] = []
        size = 0
        for line in islice(self.lines, BATCH_LINES):
            size += line.size
            self.report.read += 1
            try:
                parsed = self._parsed(line, latest)
                if self._is_new(parsed):
                    batch.append((line.number, parsed))
            except Refused as refused:
                self._wrong(line.number, refused)
            if size >= BATCH_BYTES:
                break
        return _parents_first(batch), size

    def _parsed(self, line: Line, latest: datetime) -> ParsedLine:
        if line.content is None:
            raise Refused(RefusalCode.LIMIT_EXCEEDED, f"it has {line.size} bytes, more than any message; leave it out.")
        parsed = parse_line(line.content, self.graph.limits, latest)
        self.report.ignored_fields.update(parsed.ignored)
        return parsed

    def _is_new(self, parsed: ParsedLine) -> bool:
        """Tell whether this file has not had the message before. Raises Refused where it had another of that id."""
        earlier = self._seen.get(parsed.id)
        if earlier is None:
            self._seen[parsed.id] = parsed.digest
            return True
        if earlier != parsed.digest:
            raise Refused(
                RefusalCode.IDEMPOTENCY_CONFLICT,
                f"id {shown(parsed.id)} stands on an earlier line with other content; give each message its own.",
                field="id",
            )
        self.report.repeated += 1
        return False

    def _wrong(self, line: int, refused: Refused) -> None:
        if self.said.strict:
            raise Refused(refused.refusal, f"Line {line}: {refused.message}", field=refused.field) from refused
        self.report.wrong(line, refused)

    async def _add(self, batch: Sequence[Numbered]) -> None:
        good = await self._from_and_to_people(batch)
        if not good:
            return
        graph, report = self.graph, self.report
        messages = [self._message(parsed) for _, parsed in good]
        groups = {message.mail.group for message in messages}
        threads = {group: self._threads[group] for group in groups & self._threads.keys()}
        added = await add_foreign(graph.database, graph.clock, messages, threads, self._kinds, graph.limits)
        # A group of its own is not met again; a thread that the file names may be.
        named = {_thread_group(parsed.thread) for _, parsed in good if parsed.thread is not None}
        self._threads |= {group: added.placement.threads[group] for group in named & added.placement.threads.keys()}
        report.added += len(added.placement.placed)
        report.entries += added.entries
        report.already_present += len(added.placement.present) - len(added.changed)
        report.threads_new += len({row.thread for row in added.placement.placed if row.new_thread})
        report.missing_parents += sum(row.missing_mail is not None for row in added.placement.placed)
        self._note_changed(good, added)

    def _note_changed(self, good: Sequence[Numbered], added: Added) -> None:
        for number, parsed in good:
            if self._name(parsed.id) in added.changed:
                message = f"id {shown(parsed.id)} was imported with other content, which stays; give it another id."
                self._wrong(number, Refused(RefusalCode.IDEMPOTENCY_CONFLICT, message, field="id"))

    async def _from_and_to_people(self, batch: Sequence[Numbered]) -> list[Numbered]:
        """Return the lines whose senders and recipients are identities here, after making those that may be made."""
        unknown = {handle for _, parsed in batch for handle in parsed.handles} - self._kinds.keys()
        if unknown:
            self._kinds |= await known_people(self.graph.database, unknown)
            missing = unknown - self._kinds.keys()
            if missing and self.said.create_identities:
                await create_people(self.graph.database, self.graph.clock, missing)
                self._kinds |= await known_people(self.graph.database, missing)
                self.report.identities_created += len(missing)
        good: list[Numbered] = []
        for number, parsed in batch:
            stranger = next((handle for handle in parsed.handles if handle not in self._kinds), None)
            if stranger is None:
                good.append((number, parsed))
                continue
            name = "from" if stranger == parsed.sender else "to" if stranger in parsed.to else "cc"
            message = f"{name} {shown(stranger)} is nobody here; register it first, or use --create-identities."
            self._wrong(number, Refused(RefusalCode.UNKNOWN_ADDRESS, message, field=name))
        return good

    def _message(self, parsed: ParsedLine) -> ForeignMessage:
        date = parsed.created_at
        mail = ImportedMail(
            id=new_id(Prefix.MESSAGE, date),
            mail_id=self._name(parsed.id),
            digest=parsed.digest,
            sender=parsed.sender,
            subject=parsed.subject,
            body_text=parsed.body_text,
            created_at=date,
            parent_mail=None if parsed.in_reply_to is None else self._name(parsed.in_reply_to),
            missing_mail=None,
            group=_thread_group(parsed.thread) if parsed.thread is not None else f"id {parsed.id}",
            thread=new_id(Prefix.THREAD, date),
        )
        return ForeignMessage(
            mail, parsed.to, parsed.cc, parsed.tags, parsed.priority, parsed.expects_reply, parsed.read
        )

    def _name(self, id_: str) -> str:
        """Return a message's name among those of all systems."""
        return f"{self.said.source}:{id_}"


def _thread_group(name: str) -> str:
    return f"thread {name}"


def _parents_first(batch: list[Numbered]) -> list[Numbered]:
    """Return the lines in their order, but each after the one it answers; a circle stays as it is."""
    lines = {line[1].id: line for line in batch}
    done: dict[str, Numbered] = {}
    for line in batch:
        chain: list[Numbered] = []
        current: Numbered | None = line
        on_it: set[str] = set()
        while current is not None and current[1].id not in done and current[1].id not in on_it:
            chain.append(current)
            on_it.add(current[1].id)
            current = lines.get(current[1].in_reply_to or "")
        done |= {one[1].id: one for one in reversed(chain)}
    return list(done.values())
