"""Where one mail of an mbox ends and the next begins, without ever holding more than one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_LINE_LIMIT = 1 << 20
_DATED = re.compile(rb"\AFrom .*\b\d{1,2}:\d\d(?::\d\d)?\b.*\b\d{4}\b")
_HEADER_START = re.compile(rb"\A[!-9;-~]+:")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes of one mail, its ``From `` line included, the blank line before the next one too."""

    offset: int
    length: int


def spans(stream: BinaryIO, first: int = 0) -> Iterator[Span]:
    """Yield the span of every mail in order; together they are the whole file, from byte ``first`` on.

    A mail begins at a line ``From …`` at the very start or after a blank line, if it carries a time and a year or a
    header follows it: a sentence of the body that begins with that word does neither. ``first`` is where a mail begins.
    """
    stream.seek(first)
    start = position = first
    blank = True
    fresh = True
    candidate: int | None = None
    while line := stream.readline(_LINE_LIMIT):
        if candidate is not None:
            if _HEADER_START.match(line):
                if candidate > start:
                    yield Span(start, candidate - start)
                start = candidate
            candidate = None
        if fresh and blank and line.startswith(b"From "):
            if position == first or _DATED.match(line):
                if position > start:
                    yield Span(start, position - start)
                start = position
            else:
                candidate = position
        if fresh:
            blank = line in {b"\n", b"\r\n"}
        # A line longer than the limit comes in pieces; only its first one begins a line.
        fresh = line.endswith(b"\n")
        position += len(line)
    if position > start:
        yield Span(start, position - start)


def unquoted(content: bytes) -> bytes:
    """Return one mail of an mbox as it was before it was put in: body lines ``>From`` have one ``>`` less.

    The blank line that separates it from the next mail is dropped.
    """
    if content.endswith(b"\r\n\r\n"):
        content = content[:-2]
    elif content.endswith(b"\n\n"):
        content = content[:-1]
    return _QUOTED_FROM.sub(rb"\1", content)
