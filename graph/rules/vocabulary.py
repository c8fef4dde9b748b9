"""Finding the names of concepts in text, as whole words: what automatic tagging goes by."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_SPACE = re.compile(r"\s+")


def plain(text: str) -> str:
    """Return text as names are compared: NFC, lower case, and one space where there is any."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text).lower()).strip()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names, each with the concept that it means, found by the word that they begin with."""

    by_start: Mapping[str, tuple[tuple[str, str], ...]]

    @classmethod
    def of(cls, names: Iterable[tuple[str, str]]) -> "Vocabulary":
        """Return the vocabulary of these (name, concept)."""
        by_start: dict[str, list[tuple[str, str]]] = {}
        for name, concept in names:
            written = plain(name)
            for start, end in _tokens(written, most=1):
                by_start.setdefault(written[start:end], []).append((written, concept))
        return cls({start: tuple(found) for start, found in by_start.items()})

    def named_in(self, text: str, most: int) -> tuple[str, ...]:
        """Return the concepts that the text names in whole words, in the order met, no more than ``most``.

        ``text`` is ``plain``. A hyphen ends a word, as any other mark does; an underscore does not.
        """
        found: dict[str, None] = {}
        for start, end in _tokens(text):
            for name, concept in self.by_start.get(text[start:end], ()):
                if text.startswith(name, start) and _ends_a_word(text, start + len(name)):
                    found.setdefault(concept)
                    if len(found) == most:
                        return tuple(found)
        return tuple(found)


def is_letter(character: str) -> bool:
    """Tell whether a character is part of a word: letters, digits, the marks on them, and the underscore."""
    return character.isalnum() or character == "_" or unicodedata.category(character) in {"Mn", "Mc"}


def _tokens(text: str, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where each word, and each mark between words, begins and ends."""
    position, count = 0, 0
    while position < len(text) and count != most:
        start, position = position, position + 1
        if text[start] == " ":
            continue
        if is_letter(text[start]):
            while position < len(text) and is_letter(text[position]):
                position += 1
        count += 1
        yield start, position


def _ends_a_word(text: str, end: int) -> bool:
    return end == len(text) or not (is_letter(text[end - 1]) and is_letter(text[end]))
