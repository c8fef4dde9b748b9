r"""Cypher cut into words and signs, as strictly as it takes to be sure what Neo4j will read.

Neo4j itself reads more than this: letters of all scripts as names, escapes of the form ``\u0041`` anywhere, signs that
only look like others. Whatever could be read in two ways is refused here, with the plain way to write it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from graph.rules.cypher.limits import DEPTH_MOST, refused
from graph.rules.text import shown


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    NAME = "name"
    TEXT = "text"
    NUMBER = "number"
    PARAMETER = "parameter"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Token:
    """One token. ``text`` is a word in small letters, a quoted name or a text without its quotes, else as written."""

    kind: Kind
    text: str
    offset: int

    def is_word(self, *words: str) -> bool:
        """Tell whether it is one of these words, in any case."""
        return self.kind is Kind.WORD and self.text in words

    def is_sign(self, *signs: str) -> bool:
        """Tell whether it is one of these signs."""
        return self.kind is Kind.SIGN and self.text in signs

    @property
    def is_name(self) -> bool:
        """Whether it can be the name of a variable."""
        return self.kind in (Kind.WORD, Kind.NAME)


_PARTS = re.compile(
    r"""
      (?P<space>[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)
    | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<name>`(?:[^`]|``)*`)
    | \$(?P<parameter>[A-Za-z_][A-Za-z0-9_]*|[0-9]+)
    | (?P<number>0[xXoO][0-9A-Fa-f_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>\.\.|[-+*/%^=<>!(){}\[\],.:;|&])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING = {"(": ")", "[": "]", "{": "}"}


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a query without spaces and comments. Raises Refused where it cannot be read for sure."""
    if (at := text.lower().find("\\u")) >= 0:
        raise refused(
            f"{place(text, at)} has an escape \\u, which can turn text into Cypher: write the character itself, or "
            "send it in a parameter."
        )
    found: list[Token] = []
    offset = 0
    while offset < len(text):
        match = None if text.startswith("/*", offset) and "*/" not in text[offset + 2 :] else _PARTS.match(text, offset)
        if match is None or match.lastgroup is None:
            raise refused(
                f"{place(text, offset)} is {shown(text[offset], 1)}, which cannot be read for sure: names with other "
                "than ASCII letters stand in backticks, texts and comments are closed, and =~ and < with their "
                "likes are written with plain signs or, as regular expressions, not at all."
            )
        if match.lastgroup != "space":
            found.append(_token(Kind(match.lastgroup), match[match.lastgroup], offset))
        offset = match.end()
    return found


def _token(kind: Kind, text: str, offset: int) -> Token:
    if kind is Kind.WORD:
        text = text.lower()
    elif kind in (Kind.TEXT, Kind.NAME):
        text = text[1:-1]
    return Token(kind, text, offset)


def place(text: str, offset: int) -> str:
    """Return where in a text something is, for people, both numbers from 1."""
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


def partners(tokens: Sequence[Token]) -> Mapping[int, int]:
    """Return the index of the bracket that closes each opening one. Raises Refused where they do not match."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(tokens):
        if token.is_sign(*_OPENING):
            waiting.append(index)
            if len(waiting) > DEPTH_MOST:
                raise refused(f"brackets stand in one another more than {DEPTH_MOST} deep.")
        elif token.is_sign(*_OPENING.values()):
            if not waiting or _OPENING[tokens[waiting[-1]].text] != token.text:
                raise refused(f"the bracket {token.text} at character {token.offset + 1} closes none that is open.")
            found[waiting.pop()] = index
    if waiting:
        raise refused(
            f"the bracket {tokens[waiting[-1]].text} at character {tokens[waiting[-1]].offset + 1} stays open."
        )
    return found
