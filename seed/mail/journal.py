"""What an import has read, kept on disk until it is done, so that one that was interrupted need not read it again.

It is never an authority: the graph says which mails are there, and a line counts only while its file has the size and
the time that it had. Without it everything is read again, and the outcome is the same.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from seed.mail.notes import Note, line_of
from seed.mail.parsing import ParseLimits
from seed.mail.reading import MailFile, MailSource, Skipped

_FORMAT = 1
_Line = tuple[str, tuple[int, int], list[Any]]


class Journal:
    """The journal of one source. One without a ``descriptor`` remembers nothing."""

    def __init__(self, path: Path, descriptor: int | None, lines: dict[str, list[bytes]]) -> None:
        self._path = path
        self._descriptor = descriptor
        self._lines = lines
        # An import that is cancelled closes the journal while its thread may still be reading mail.
        self._lock = Lock()

    def noted(self, file: MailFile) -> list[list[Any]]:
        """Return what was noted of a file, in the order of its mails, if it has not changed since. Ask once a file."""
        noted: list[list[Any]] = []
        for line in self._lines.pop(file.name, ()):
            _, stamp, said = _read(line)
            if stamp != (file.size, file.changed):
                noted = []
            else:
                noted.append(said)
        return noted

    def add(self, notes: Iterable[tuple[MailFile, Note | Skipped]]) -> None:
        """Note some mails, all at once: whoever is killed leaves whole lines but for the last one."""
        content = b"".join(line_of(file, note) for file, note in notes)
        with self._lock:
            try:
                while content and self._descriptor is not None:
                    content = content[os.write(self._descriptor, content) :]
            except OSError:
                # A full disk is no reason to end the import; the torn line is cut off by whoever goes on.
                self._close()

    def drop(self) -> None:
        """Forget it all: the import is done, or what was noted is not so."""
        with self._lock:
            if self._descriptor is not None:
                with contextlib.suppress(OSError):
                    self._path.unlink()
                self._close()

    def close(self) -> None:
        """Keep it for the next import."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


@contextmanager
def opened_journal(folder: Path, source: MailSource, limits: ParseLimits) -> Iterator[Journal]:
    """Open the source's journal. Where another import holds it, or it cannot be kept, the import does without one."""
    path = folder / f"{sha256(os.fsencode(source.path.absolute())).hexdigest()[:32]}.jsonl"
    journal = Journal(path, *_opened(path, limits))
    try:
        yield journal
    finally:
        journal.close()


def _opened(path: Path, limits: ParseLimits) -> tuple[int | None, dict[str, list[bytes]]]:
    """Return a descriptor of the file that nobody else has at the same time, or None, and the lines in it."""
    try:
        import fcntl
    except ImportError:  # Not a Unix system.
        return None, {}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None, {}
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor, _lines(descriptor, limits)
    except OSError:
        os.close(descriptor)
        return None, {}


def _lines(descriptor: int, limits: ParseLimits) -> dict[str, list[bytes]]:
    """Return the lines by file, and cut off what is torn; all of it if another version, or other limits, wrote it."""
    first = json.dumps([_FORMAT, version("heliograph"), limits.subject_chars, limits.body_bytes]).encode() + b"\n"
    lines: dict[str, list[bytes]] = {}
    whole = 0
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        if file.readline() == first:
            whole = len(first)
            for line in file:
                try:
                    name, _, _ = _read(line)
                except (ValueError, TypeError):
                    break
                lines.setdefault(name, []).append(line)
                whole += len(line)
    os.ftruncate(descriptor, whole)
    os.lseek(descriptor, 0, os.SEEK_END)
    if not whole:
        os.write(descriptor, first)
    return lines


def _read(line: bytes) -> _Line:
    """Return file, stamp and what is said. Raises ValueError or TypeError for what is no whole line."""
    name, size, changed, said = json.loads(line)
    if not line.endswith(b"\n") or not isinstance(name, str):
        raise ValueError("The line is torn.")
    return name, (size, changed), said
