"""Reading lines of a file or of standard input, however long and whatever is in them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from graph.errors import RefusalCode, Refused

#: A body of 1 MiB, every character of it escaped, fits; what is longer is no message.
LONGEST_LINE = 16 * 1024 * 1024
STANDARD_INPUT = "-"


class Line(NamedTuple):
    """One line by its number, from 1; ``content`` is None where it was too long to be kept."""

    number: int
    content: bytes | None
    size: int


@contextmanager
def opened_lines(path: str) -> Iterator[tuple[Iterator[Line], int | None]]:
    """Open a file, or standard input for ``-``, and give its lines and how many bytes it has, if that is known.

    Raises Refused (INVALID_INPUT) for a file that cannot be read.
    """
    if path == STANDARD_INPUT:
        yield read_lines(sys.stdin.buffer), None
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below; only the opening is to be refused
    except OSError as error:
        raise Refused(
            RefusalCode.INVALID_INPUT, f"The file {path} cannot be read ({error.strerror}); give another.", field="file"
        ) from error
    with file:
        yield read_lines(file), Path(path).stat().st_size


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """Yield every line that is not blank."""
    number = 0
    while content := file.readline(LONGEST_LINE):
        number += 1
        size, kept = len(content), len(content) < LONGEST_LINE or content.endswith(b"\n")
        while not kept and (rest := file.readline(LONGEST_LINE)):
            size += len(rest)
            if rest.endswith(b"\n"):
                break
        if number == 1:
            content = content.removeprefix(b"\xef\xbb\xbf")
        if not kept or content.strip():
            yield Line(number, content if kept else None, size)
