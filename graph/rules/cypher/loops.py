"""Loops within one expression: list and pattern comprehensions, and the tests ``all``, ``any``, ``none``, ``single``.

Neo4j asks only between rows whether it should stop, so a loop in a loop in one expression runs past every timeout. One
loop by itself is as long as its list.
"""

from collections.abc import Mapping, Sequence

from graph.rules.cypher.limits import refused
from graph.rules.cypher.tokens import Kind, Token
from graph.rules.cypher.words import BEFORE_BRACKETS, LIST_TESTS
from graph.rules.text import shown

_CONSTANTS = (Kind.TEXT, Kind.NUMBER, Kind.PARAMETER)
#: What makes a long list, or a text into one.
_LONG = ("range", "collect", "split")
#: Words of values, which are no variables.
_WORDS = ("true", "false", "size", "count")


def check_loops(tokens: Sequence[Token], closing: Mapping[int, int], *, planned: bool = False) -> None:
    """Raise Refused where a loop stands in another, searches a list of the graph's, or repeats what is not its own.

    ``planned``: the tokens are of a plan, which rewrites what is within a loop as it likes; only loops count there.
    """
    end = 0
    for index, token in enumerate(tokens):
        if index in closing and is_loop(tokens, closing, index):
            if index < end:
                raise refused(
                    "a list comprehension or list test stands in another, which no timeout could end: UNWIND one of "
                    "the two lists."
                )
            end = closing[index]
            if not planned:
                _check_result(tokens, closing, index)
        elif planned or index >= end or not token.is_word("in") or _opens_loop(tokens, closing, index):
            continue
        elif not _constant(tokens, index):
            raise refused(
                "within a list comprehension or list test, IN may search a list of constants or a parameter alone: "
                "UNWIND the list instead."
            )


def _check_result(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> None:
    """Raise Refused where each round of a comprehension returns what is not its own, however large that may be."""
    bar = _bar(tokens, closing, index)
    if bar is None:
        return
    own = {token.text for token in tokens[index:bar] if token.is_name} if tokens[index + 2].text != "in" else set()
    own.add(tokens[index + 1].text)
    for at in range(bar + 1, closing[index]):
        token, before, after = tokens[at], tokens[at - 1], tokens[at + 1]
        long = token.is_word(*_LONG) and after.is_sign("(", "{")
        key = before.is_sign(".") or (after.is_sign(":") and before.is_sign("{", ","))
        plain = token.is_name and not (key or after.is_sign("(", "{") or token.is_word(*BEFORE_BRACKETS, *_WORDS))
        if long or token.kind is Kind.PARAMETER or (plain and token.text not in own):
            raise refused(
                f"each round of a list comprehension may return what comes from its own variables, and no other as "
                f"{shown(token.text, 40)}: UNWIND the list, and name both in columns."
            )


def is_loop(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> bool:
    """Tell whether the bracket at ``index`` opens a loop."""
    token = tokens[index]
    if token.is_sign("["):
        return _over_list(tokens, index) or _over_pattern(tokens, closing, index)
    return token.is_sign("(") and index > 0 and tokens[index - 1].is_word(*LIST_TESTS) and _over_list(tokens, index)


def _over_list(tokens: Sequence[Token], index: int) -> bool:
    variable, word = tokens[index + 1], tokens[index + 2] if index + 2 < len(tokens) else tokens[index]
    return variable.is_name and word.is_word("in")


def _over_pattern(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> bool:
    first = tokens[index + 1]
    named = first.is_name and tokens[index + 2].is_sign("=")
    if not (named or first.is_sign("(")):
        return False
    return _bar(tokens, closing, index) is not None


def _bar(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> int | None:
    """Return where the result of a comprehension begins; None where it has none."""
    at = index + 1
    while at < closing[index]:
        if tokens[at].is_sign("|"):
            return at
        at = closing.get(at, at) + 1
    return None


def _opens_loop(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> bool:
    return index >= 2 and index - 2 in closing and is_loop(tokens, closing, index - 2)  # noqa: PLR2004 - "[ x IN"


def _constant(tokens: Sequence[Token], index: int) -> bool:
    after = tokens[index + 1]
    if after.kind is Kind.PARAMETER:
        return True
    at = index + 2
    while after.is_sign("[") and (tokens[at].kind in _CONSTANTS or tokens[at].is_sign(",", "-")):
        at += 1
    return after.is_sign("[") and tokens[at].is_sign("]")
