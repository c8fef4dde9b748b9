"""Where mails come from: an mbox file, a single mail, or a folder tree of mails. Read one at a time, never changed."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from graph.errors import RefusalCode, Refused
from seed.mail.maildir import DELIVERED, LeftOut, left_out, left_out_folder, unique_name, was_seen
from seed.mail.mbox import Span, spans, unquoted

MAIL_BYTES_LIMIT = 64 * 1024 * 1024
"""A file or mbox entry longer than this is no mail a person wrote; it is skipped and named."""
_MBOX_SUFFIXES = (".mbox", ".mbx")
_MAIL_START = re.compile(rb"\A(?:From |[!-9;-~]+:)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where one mail lies, so that it can be read again: ``span`` is None for a file that is one mail."""

    file: int
    span: Span | None


@dataclass(frozen=True, slots=True)
class RawMail:
    """One mail as it lies there. ``size`` is what it takes of ``MailSource.total_bytes``."""

    name: str
    content: bytes
    size: int
    place: Place


@dataclass(frozen=True, slots=True)
class Skipped:
    """A mail that could not be read, and why. ``place`` is None if that is all of its file, or what is left of it."""

    name: str
    reason: str
    size: int = 0
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class MailFile:
    """One file of a source: its name as reports give it, its size in bytes, and whether it is an mbox.

    ``changed`` is when it was, in nanoseconds since 1970. ``in_maildir`` is whether it is a mail of a Maildir, ``seen``
    whether that says that it was read.
    """

    path: Path
    name: str
    size: int
    is_mbox: bool
    changed: int = 0
    in_maildir: bool = False
    seen: bool = False


OnSkipped = Callable[[str, str], None]
"""Is told the name of a mail that could not be read, and why."""


class MailSource:
    """A source that was surveyed: what there is, and its mails in a stable order, as often as asked."""

    def __init__(self, path: Path, files: tuple[MailFile, ...], left_out: tuple[tuple[LeftOut, str], ...] = ()) -> None:
        self.path = path
        self.files = files
        self.left_out = left_out
        """What a Maildir's owner threw away or did not send, by name; none of ``files``."""

    @property
    def total_bytes(self) -> int:
        """Bytes of all files; the sizes of all mails, skipped ones included, add up to it."""
        return sum(file.size for file in self.files)

    @property
    def mail_count(self) -> int | None:
        """How many mails there are, or None where only reading tells (an mbox): progress then goes by bytes."""
        return None if any(file.is_mbox for file in self.files) else len(self.files)

    def mails(self, on_skipped: OnSkipped) -> Iterator[RawMail]:
        """Yield every mail. One that cannot be read, or is too long, goes to ``on_skipped`` instead."""
        for index in range(len(self.files)):
            for mail in self.of_file(index):
                if isinstance(mail, RawMail):
                    yield mail
                else:
                    on_skipped(mail.name, mail.reason)

    def of_file(self, index: int, start: int = 0, number: int = 1) -> Iterator[RawMail | Skipped]:
        """Yield the mails of one file; of an mbox those from byte ``start`` on, where its mail ``number`` begins."""
        file = self.files[index]
        try:
            yield from self._from_mbox(index, file, start, number) if file.is_mbox else self._single(index, file)
        except OSError as error:
            yield Skipped(file.name, error.strerror or type(error).__name__)
        except _TooLong:
            yield Skipped(file.name, f"is longer than {MAIL_BYTES_LIMIT} bytes")

    def load(self, place: Place) -> bytes:
        """Return the bytes of one mail again. Raises Refused when its file is gone or can no longer be read."""
        file = self.files[place.file]
        try:
            with _opened(file) as stream:
                if place.span is None:
                    return _bounded(stream.read(MAIL_BYTES_LIMIT + 1))
                stream.seek(place.span.offset)
                return unquoted(stream.read(place.span.length))
        except (OSError, _TooLong) as error:
            raise _refused(file.path, f"changed while it was imported ({error}); import it again") from error

    def _single(self, index: int, file: MailFile) -> Iterator[RawMail]:
        with _opened(file) as stream:
            content = _bounded(stream.read(MAIL_BYTES_LIMIT + 1))
        yield RawMail(file.name, content, file.size, Place(index, None))

    def _from_mbox(self, index: int, file: MailFile, start: int, first: int) -> Iterator[RawMail | Skipped]:
        with file.path.open("rb") as bounds, file.path.open("rb") as stream:
            for number, span in enumerate(spans(bounds, start), start=first):
                name, place = f"{file.name}#{number}", Place(index, span)
                if span.length > MAIL_BYTES_LIMIT:
                    yield Skipped(name, f"is longer than {MAIL_BYTES_LIMIT} bytes", span.length, place)
                    continue
                stream.seek(span.offset)
                yield RawMail(name, unquoted(stream.read(span.length)), span.length, place)


class _TooLong(Exception):
    """A file is longer than any mail may be."""


def survey(path: Path, *, everything: bool = False) -> MailSource:
    """Look at what ``path`` holds without reading it.

    A file is an mbox if it begins with ``From ``, else a single mail if it begins like one. A file named ``.eml`` is
    always a single mail, as mail programs leave the ``From `` line in it. In a folder tree the mails are its ``.eml``
    files (and mboxes by name) if there are any, else every regular file; what is hidden or a symbolic link is not
    looked at. Order is by path, byte for byte.

    A folder with ``cur`` and ``new`` is a Maildir, as are those folders of it that have both, hidden ones (``.Sent``)
    too; its mails are what is in the two, and nothing else below it. What its owner threw away, drafted or took for
    junk is left out unless ``everything`` is wanted, but for a folder that ``path`` itself names. Beside a Maildir,
    files count only by their names.

    Raises Refused (INVALID_INPUT, field ``path``) when there is nothing at ``path``, it cannot be read, or is no mail.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _tree(path, everything=everything)
        if not stat.S_ISREG(mode):
            raise _refused(path, "is neither a file nor a folder; name an mbox file or a folder of mails")
        return MailSource(path, (_lone_file(path),))
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise _refused(path, f"cannot be read ({reason}); name an mbox file or a folder of mails") from error
    except ValueError as error:
        raise _refused(path, "is not a path; name an mbox file or a folder of mails") from error


def _lone_file(path: Path) -> MailFile:
    with path.open("rb") as stream:
        start = stream.read(256)
        status = os.fstat(stream.fileno())
    suffix = path.suffix.lower()
    if start and suffix != ".eml" and not _MAIL_START.match(start):
        raise _refused(path, "begins neither like an mbox nor like a mail; name an mbox file or a folder of mails")
    is_mbox = suffix != ".eml" and (not start or start.startswith(b"From ") or suffix in _MBOX_SUFFIXES)
    return MailFile(path, path.name, status.st_size, is_mbox, status.st_mtime_ns)


def _tree(root: Path, *, everything: bool) -> MailSource:
    def unreadable(error: OSError) -> None:
        # A folder left out silently would look like a complete import.
        raise error

    boxes: dict[Path, LeftOut | None] = {}
    delivered: list[MailFile] = []
    others: list[MailFile] = []
    thrown: list[tuple[LeftOut, str]] = []
    for folder, subfolders, names in os.walk(root, onerror=unreadable):
        here = Path(folder)
        if here.parent in boxes and here.name in DELIVERED:
            subfolders.clear()
            for file in _files(root, here, names):
                reason = None if everything else boxes[here.parent] or left_out(file.path.name)
                if reason is None:
                    delivered.append(replace(file, is_mbox=False, in_maildir=True, seen=was_seen(file.path.name)))
                else:
                    thrown.append((reason, file.name))
            continue
        within = next((above for above in here.parents if above in boxes), None)
        if is_maildir := set(subfolders) >= DELIVERED:
            inherited = None if within is None else boxes[within]
            boxes[here] = inherited or (None if here == root else left_out_folder(here.name))
        elif within is None:
            others += _files(root, here, names)
        subfolders[:] = [
            name
            for name in subfolders
            if not (name.startswith(".") and not _is_maildir(here / name)) and not (is_maildir and name == "tmp")
        ]
    named = [file for file in others if file.path.suffix.lower() in {".eml", *_MBOX_SUFFIXES}]
    found = [*delivered, *(named or ([] if boxes else others))]
    ordered = tuple(sorted(found, key=lambda file: os.fsencode(file.name)))
    return MailSource(root, ordered, tuple(sorted(thrown)))


def _files(root: Path, folder: Path, names: Iterable[str]) -> Iterator[MailFile]:
    """Yield the regular files of a folder that are not hidden."""
    for name in names:
        path = folder / name
        status = path.lstat()
        if not name.startswith(".") and stat.S_ISREG(status.st_mode):
            is_mbox = path.suffix.lower() in _MBOX_SUFFIXES
            yield MailFile(path, path.relative_to(root).as_posix(), status.st_size, is_mbox, status.st_mtime_ns)


def _is_maildir(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in DELIVERED)


def _opened(file: MailFile) -> BinaryIO:
    """Open a file; one of a Maildir also where its owner looked at it meanwhile, which gives it another name."""
    try:
        return file.path.open("rb")
    except FileNotFoundError:
        if not file.in_maildir:
            raise
        own = unique_name(file.path.name)
        for folder in sorted(DELIVERED):
            for name in os.listdir(file.path.parent.with_name(folder)):  # noqa: PTH208 - a large one, names suffice
                if unique_name(name) == own:
                    return file.path.parent.with_name(folder).joinpath(name).open("rb")
        raise


def _bounded(content: bytes) -> bytes:
    if len(content) > MAIL_BYTES_LIMIT:
        raise _TooLong
    return content


def _refused(path: Path, what: str) -> Refused:
    # A name that is no UTF-8 reaches Python with lone surrogates, which no answer can carry.
    shown = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    return Refused(RefusalCode.INVALID_INPUT, f"path {shown!r} {what}", field="path")
