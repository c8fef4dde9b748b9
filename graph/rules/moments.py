"""Windows of time for the full-text index, which knows words and no order.

The first characters of a message's id are its time, in the order of the ids themselves: two of them are 35 years, four
are 12 days, ten are a millisecond, and the two after that tell apart what one millisecond holds. A message has each of
these beginnings as a word beside its text, so a window is a handful of such words, however narrow or wide it is.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHORTEST, _LONGEST = 2, 12
#: Bits of one character, and of a place, which is the number that the longest beginning is.
_CHARACTER, _PLACE = 5, 5 * _LONGEST
_PREFIX = "msg_"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: The last place there is, and how many a millisecond has.
LAST_PLACE, MILLISECOND = (1 << _PLACE - 2) - 1, 1 << 10
#: How many words a window has at least, so that it ends close to where it should.
_FINENESS = 4


def moments(message: str) -> list[str]:
    """Return the words that say when the message of this id was sent."""
    suffix = message.removeprefix(_PREFIX)
    return [suffix[:length] for length in range(_SHORTEST, _LONGEST + 1)]


def place(message: str) -> int:
    """Return where a message's id, or its beginning, lies among all: later ones lie higher."""
    number = 0
    for character in message.removeprefix(_PREFIX)[:_LONGEST]:
        number = number << _CHARACTER | ALPHABET.index(character)
    return number


def place_of(time: datetime) -> int:
    """Return the first place of a moment's millisecond; times before 1970 have the first place of all, as ids do."""
    return max(0, (time - _EPOCH) // timedelta(milliseconds=1)) * MILLISECOND


def id_at(place: int) -> str:
    """Return the beginning of the ids at a place, below which all earlier ones sort."""
    return _PREFIX + _word(place, _LONGEST)


@dataclass(frozen=True, slots=True)
class Window:
    """The places from ``bottom`` to ``top``; ``span`` is how many were asked for, and there are a few more below."""

    top: int
    span: int

    @classmethod
    def between(cls, bottom: int, top: int) -> Self:
        """Return a window that covers these places, and some more below."""
        return cls(top, max(1, top - bottom + 1))

    @property
    def _length(self) -> int:
        """How many characters most of its words have: the fewest of which ``_FINENESS`` words fit into the span."""
        for length in range(_SHORTEST, _LONGEST):
            if _FINENESS << _below(length) <= self.span:
                return length
        return _LONGEST

    @property
    def bottom(self) -> int:
        """The lowest place that its words reach."""
        below = _below(self._length)
        return max(0, self.top - self.span + 1) >> below << below

    @property
    def words(self) -> list[str]:
        """The words of which every message in the window has one, and no other message has any; newest first."""
        found, start, end = list[str](), self.bottom, self.top + 1
        for length in range(self._length, _LONGEST + 1):
            below = _below(length)
            # What a word is too short for at the upper end, longer ones say.
            found += [_word(number, length) for number in range(start >> below, end >> below)]
            start = end >> below << below
            if start == end:
                break
        return found[::-1]

    @property
    def whole(self) -> Self:
        """The window with its top raised to the end of the word that it lies in, so that no longer words are needed.

        It is for a top above which there is nothing to find: the index looks for each word in each of its parts.
        """
        top = self.top | (1 << _below(self._length)) - 1
        # A wider window may have shorter words, whose ends are further up.
        return self if top == self.top else type(self)(top, self.span + top - self.top).whole

    def below(self, widened: int) -> Self:
        """Return the next lower window, ``widened`` times as wide. There is none when ``bottom`` is 0."""
        return type(self)(self.bottom - 1, min(self.span * widened, LAST_PLACE + 1))

    @classmethod
    def of(cls, word: str) -> Self:
        """Return the window of the messages that have this word."""
        below = _below(len(word))
        return cls((place(word) + 1 << below) - 1, 1 << below)


def _below(length: int) -> int:
    """Return how many bits of a place the first ``length`` characters leave out."""
    return _PLACE - _CHARACTER * length


def _word(number: int, length: int) -> str:
    return "".join(ALPHABET[number >> _CHARACTER * position & 31] for position in reversed(range(length)))
