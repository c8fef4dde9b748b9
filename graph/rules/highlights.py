"""Where a search found what it found: a piece of the text round the match, as data and never as markup.

The index says that a message has a word, not where, so the places are looked for here, in the text itself. What is done
for one text is bounded, however often a word is in it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from graph.rules.searching import spellings

#: Characters of a piece, and how many of them come before its first match.
FRAGMENT, LEAD = 160, 40
#: How many places of a term are compared to find the piece in which most terms meet, and how many are looked at.
_PLACES, _TRIED = 10, 500
_WORD = re.compile(r"\w+")
#: Scripts that write without spaces: each of their characters is a word of its own to the index.
_UNSPACED = re.compile(r"[\u3040-\u309f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Span:
    """A match within a fragment: from ``start`` up to and without ``end``, in Unicode characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Highlight:
    """A piece of a message's ``field`` with the matches in it, in their order and apart from each other."""

    field: str
    fragment: str
    matches: tuple[Span, ...]


def highlights(terms: Sequence[str], subject: str, body_text: str) -> list[Highlight]:
    """Return a piece of the subject and one of the body; none of a text in which no term is found."""
    found = (_highlight("subject", terms, subject), _highlight("bodyText", terms, body_text))
    return [one for one in found if one is not None]


def _highlight(field: str, terms: Sequence[str], text: str) -> Highlight | None:
    lowered = _lower(text)
    spelled = (_words(_lower(form)) for term in terms for form in spellings(term))
    wanted = [list(words) for words in dict.fromkeys(tuple(words) for words in spelled) if words]
    places = sorted(
        (span.start, number)
        for number, words in enumerate(wanted)
        for span in islice(_spans(words, lowered, 0, len(lowered)), _PLACES)
    )
    if not places:
        return None
    best = max(range(len(places)), key=lambda index: (_meeting(places[index:]), -index))
    match = places[best][0]
    start = _beginning(lowered, match)
    end = min(len(text), start + FRAGMENT)
    found = _merged(span for words in wanted for span in _spans(words, lowered, start, end))
    # A phrase that is longer than the piece is marked as far as it goes.
    matches = tuple(Span(span.start - start, span.end - start) for span in found) or (Span(match - start, end - start),)
    return Highlight(field, text[start:end], matches)


def _lower(text: str) -> str:
    """Return the text in small letters, as many as there were: of all letters only this one becomes two."""
    return text.replace("İ", "i").lower()


def _words(term: str) -> list[str]:
    # A term without letters or digits may still be a word to the index, such as an emoji.
    return _WORD.findall(term) or [part for part in term.split() if any(unicodedata.category(c) == "So" for c in part)]


def _spans(words: Sequence[str], text: str, start: int, stop: int) -> Iterator[Span]:
    """Find the words one after the other between two places, with nothing but spaces and punctuation among them."""
    position = text.find(words[0], start, stop)
    for _ in range(_TRIED):
        if position < 0:
            return
        end = _end(words, text, position, stop)
        if end is not None and not _joined(text, position) and not _joined(text, end):
            yield Span(position, end)
        position = text.find(words[0], position + 1 if end is None else end, stop)


def _end(words: Sequence[str], text: str, position: int, stop: int) -> int | None:
    end = position + len(words[0])
    for word in words[1:]:
        between = end
        while end < stop and not _of_word(text[end]) and end - between < FRAGMENT:
            end += 1
        if not text.startswith(word, end):
            return None
        end += len(word)
    return end if end <= stop else None


def _of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _joined(text: str, position: int) -> bool:
    """Tell whether the characters on both sides of a place belong to one word."""
    if not 0 < position < len(text):
        return False
    before, after = text[position - 1], text[position]
    return _of_word(before) and _of_word(after) and not (_UNSPACED.match(before) or _UNSPACED.match(after))


def _meeting(places: Sequence[tuple[int, int]]) -> int:
    """Return how many terms have a place in the piece that begins a little before the first one."""
    end = places[0][0] + FRAGMENT - LEAD
    return len({term for _, term in takewhile(lambda one: one[0] < end, places)})


def _beginning(text: str, match: int) -> int:
    """Return where the piece round a match begins: at a word, a little before it; at the start of a short text."""
    if len(text) <= FRAGMENT:
        return 0
    start = max(0, match - LEAD)
    while start < match and _joined(text, start):
        start += 1
    return start


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap made one."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
