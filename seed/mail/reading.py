"""Where mails come from: an mbox file, a single mail, or a folder tree of mails. Read one at a time, never changed."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graph.errors import RefusalCode, Refused
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
class MailFile:
    """One file of a source: its name as reports give it, its size in bytes, and whether it is an mbox."""

    path: Path
    name: str
    size: int
    is_mbox: bool


OnSkipped = Callable[[str, str], None]
"""Is told the name of a mail that could not be read, and why."""


class MailSource:
    """A source that was surveyed: what there is, and its mails in a stable order, as often as asked."""

    def __init__(self, path: Path, files: tuple[MailFile, ...]) -> None:
        self.path = path
        self.files = files

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
        for index, file in enumerate(self.files):
            try:
                yield from self._from_mbox(index, file, on_skipped) if file.is_mbox else self._single(index, file)
            except OSError as error:
                on_skipped(file.name, error.strerror or type(error).__name__)
            except _TooLong:
                on_skipped(file.name, f"is longer than {MAIL_BYTES_LIMIT} bytes")

    def load(self, place: Place) -> bytes:
        """Return the bytes of one mail again. Raises Refused when its file is gone or can no longer be read."""
        file = self.files[place.file]
        try:
            with file.path.open("rb") as stream:
                if place.span is None:
                    return _bounded(stream.read(MAIL_BYTES_LIMIT + 1))
                stream.seek(place.span.offset)
                return unquoted(stream.read(place.span.length))
        except (OSError, _TooLong) as error:
            raise _refused(file.path, f"changed while it was imported ({error}); import it again") from error

    def _single(self, index: int, file: MailFile) -> Iterator[RawMail]:
        with file.path.open("rb") as stream:
            content = _bounded(stream.read(MAIL_BYTES_LIMIT + 1))
        yield RawMail(file.name, content, file.size, Place(index, None))

    def _from_mbox(self, index: int, file: MailFile, on_skipped: OnSkipped) -> Iterator[RawMail]:
        with file.path.open("rb") as bounds, file.path.open("rb") as stream:
            for number, span in enumerate(spans(bounds), start=1):
                name = f"{file.name}#{number}"
                if span.length > MAIL_BYTES_LIMIT:
                    on_skipped(name, f"is longer than {MAIL_BYTES_LIMIT} bytes")
                    continue
                stream.seek(span.offset)
                yield RawMail(name, unquoted(stream.read(span.length)), span.length, Place(index, span))


class _TooLong(Exception):
    """A file is longer than any mail may be."""


def survey(path: Path) -> MailSource:
    """Look at what ``path`` holds without reading it.

    A file is an mbox if it begins with ``From ``, else a single mail if it begins like one. A file named ``.eml`` is
    always a single mail, as mail programs leave the ``From `` line in it. In a folder tree the mails are its ``.eml``
    files (and mboxes by name) if there are any, else every regular file; what is hidden, a symbolic link, or the
    index and ``tmp`` of a Maildir is not looked at. Order is by path, byte for byte.

    Raises Refused (INVALID_INPUT, field ``path``) when there is nothing at ``path``, it cannot be read, or is no mail.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return MailSource(path, _tree(path))
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
        size = os.fstat(stream.fileno()).st_size
    suffix = path.suffix.lower()
    if start and suffix != ".eml" and not _MAIL_START.match(start):
        raise _refused(path, "begins neither like an mbox nor like a mail; name an mbox file or a folder of mails")
    is_mbox = suffix != ".eml" and (not start or start.startswith(b"From ") or suffix in _MBOX_SUFFIXES)
    return MailFile(path, path.name, size, is_mbox)


def _tree(root: Path) -> tuple[MailFile, ...]:
    def unreadable(error: OSError) -> None:
        # A folder left out silently would look like a complete import.
        raise error

    found: list[MailFile] = []
    for folder, subfolders, names in os.walk(root, onerror=unreadable):
        maildir = {"cur", "new"} <= set(subfolders)
        subfolders[:] = [name for name in subfolders if not name.startswith(".") and not (maildir and name == "tmp")]
        for name in () if maildir else names:
            path = Path(folder, name)
            status = path.lstat()
            if not name.startswith(".") and stat.S_ISREG(status.st_mode):
                is_mbox = path.suffix.lower() in _MBOX_SUFFIXES
                found.append(MailFile(path, path.relative_to(root).as_posix(), status.st_size, is_mbox))
    named = [file for file in found if file.path.suffix.lower() in {".eml", *_MBOX_SUFFIXES}]
    return tuple(sorted(named or found, key=lambda file: os.fsencode(file.name)))


def _bounded(content: bytes) -> bytes:
    if len(content) > MAIL_BYTES_LIMIT:
        raise _TooLong
    return content


def _refused(path: Path, what: str) -> Refused:
    # A name that is no UTF-8 reaches Python with lone surrogates, which no answer can carry.
    shown = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    return Refused(RefusalCode.INVALID_INPUT, f"path {shown!r} {what}", field="path")
