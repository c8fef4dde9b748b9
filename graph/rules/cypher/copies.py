"""How often a value may come to stand in others: in lists and maps as written, and joined to itself by ``+``.

Neo4j keeps such a value once and writes it out each time, in one go and into memory, before a byte of the row is sent;
no timeout ends that. ``WITH [x, x] AS x``, thirty times over, is a thousand million values.
"""

from collections.abc import Mapping, Sequence

from graph.rules.cypher.limits import COPIES_MOST, COPIES_OF_LISTS_MOST, refused
from graph.rules.cypher.loops import is_loop
from graph.rules.cypher.tokens import Kind, Token
from graph.rules.cypher.words import BEFORE_BRACKETS

_CONSTANTS = ("true", "false")
#: A new step of the query begins with each.
_STEPS = ("with", "return", "yield", "let")
#: What makes a list as long as there are rows, or a text is.
_MAKERS = ("collect", "split")
#: What is asked of a list in one number or one of its values, and is no copy of it.
_GLANCES = ("size", "length", "head", "last", "max", "min", "sum", "avg", "count")


def check_copies(tokens: Sequence[Token], closing: Mapping[int, int]) -> None:
    """Raise Refused where values are put into each other too often, step by step."""
    most = after_lists = 1.0
    here = _Step()
    depth, ends, collected, mapped = 0, 0, False, False
    for index, token in enumerate(tokens):
        depth += token.is_sign("(", "[", "{") - token.is_sign(")", "]", "}")
        if token.is_word(*_STEPS, "union"):
            most *= here.copies
            after_lists *= here.copies if collected else 1
            collected, mapped, here = collected or here.collects, mapped or here.maps, _Step()
            if token.is_word("union") and depth == 0:
                # What the parts of a union hold, they hold apart from each other.
                _check(most, after_lists)
                most, after_lists, collected, mapped = 1, 1, False, False
        here.collects = here.collects or (token.is_word(*_MAKERS) and tokens[index + 1].is_sign("(", "{"))
        if index in closing and _is_literal(tokens, closing, index):
            ends = max(ends, closing[index])
            here.maps = here.maps or token.is_sign("{")
        if index < ends and _is_copied(tokens, index, dotted=mapped):
            here.values += 1
        here.halves += _joined(tokens, index)
    _check(most * here.copies, after_lists * (here.copies if collected else 1))


class _Step:
    """What one step of a query does with the values that it has."""

    def __init__(self) -> None:
        self.values = self.halves = 0
        self.collects = self.maps = False

    @property
    def copies(self) -> float:
        """How often it may hold one value."""
        return max(1, self.values) * 2 ** (self.halves / 2)


def _check(most: float, after_lists: float) -> None:
    if most > COPIES_MOST or after_lists > COPIES_OF_LISTS_MOST:
        raise refused(
            "its lists, maps and joins by + hold values that hold values, over its steps, so that what they hold "
            "multiplies: return values in columns of their own, and collect() after they are put together."
        )


def _joined(tokens: Sequence[Token], index: int) -> int:
    """Return how much a ``+`` may grow a value, in halves of a doubling.

    Joined with a text or number as written, a value grows by that much alone; in a chain of such joins every second one
    may still join it to itself, so each counts half.
    """
    if not tokens[index].is_sign("+") or index == 0:
        return 0
    written = (Kind.TEXT, Kind.NUMBER)
    return 1 if tokens[index - 1].kind in written or tokens[index + 1].kind in written else 2


def _is_literal(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> bool:
    """Tell whether a bracket holds a list or a map as written, rather than a relationship, a subquery or a place."""
    token, first = tokens[index], tokens[index + 1]
    if token.is_sign("{"):
        return (first.is_name and tokens[index + 2].is_sign(":")) or first.is_sign(".")
    if not token.is_sign("["):
        return False
    before = tokens[index - 1] if index else None
    # After a value a bracket names a place in it, after a dash it is a relationship.
    after_value = before is not None and (before.is_name or before.is_sign(")", "]", "-"))
    after_word = before is not None and before.is_word(*BEFORE_BRACKETS)
    return after_word or not after_value or is_loop(tokens, closing, index)


def _is_copied(tokens: Sequence[Token], index: int, *, dotted: bool) -> bool:
    """Tell whether a token in a list or map is a value of the step before; ``dotted``: also where it is in a map."""
    token, before, after = tokens[index], tokens[index - 1], tokens[index + 1]
    if not token.is_name or after.is_sign("(") or token.is_word(*BEFORE_BRACKETS, *_CONSTANTS):
        return False
    if after.is_sign(":") and before.is_sign("{", ","):
        return False
    glanced = before.is_sign("(") and after.is_sign(")") and tokens[index - 2].is_word(*_GLANCES)
    return not (before.is_sign(".") or glanced or (after.is_sign(".") and not dotted))
