"""What lets a short query ask for endless work: long walks, long lists, and texts that grow in their place."""

from collections.abc import Mapping, Sequence
from typing import Any

from graph.rules.cypher.limits import HOPS_MOST, PLACES_MOST, RANGE_MOST, refused
from graph.rules.cypher.loops import is_loop
from graph.rules.cypher.tokens import Kind, Token

_HOPS = f"bound the pattern by at most {HOPS_MOST} hops, as *..{HOPS_MOST} or {{1,{HOPS_MOST}}}."
_RANGE = (
    f"range takes whole numbers up to {RANGE_MOST}, parameters that hold such, size() and length(), joined by + and -."
)


def check_hops(tokens: Sequence[Token], closing: Mapping[int, int]) -> None:
    """Raise Refused for a pattern of variable length without an upper bound, or with one that is too high."""
    for index, token in enumerate(tokens):
        if token.is_sign("[") and index and tokens[index - 1].is_sign("-") and not is_loop(tokens, closing, index):
            _check_star(tokens, index, closing[index])
        elif token.is_sign("{") and (tokens[index + 1].kind is Kind.NUMBER or tokens[index + 1].is_sign(",")):
            _check_upper(tokens[closing[index] - 1])
        elif token.is_sign("+", "*") and index and _after_pattern(tokens, closing, index):
            raise refused(_HOPS)


def _check_star(tokens: Sequence[Token], start: int, end: int) -> None:
    at = start + 1
    while at < end and not tokens[at].is_sign("*", "{") and not tokens[at].is_word("where"):
        at += 1
    if not tokens[at].is_sign("*"):
        return
    # What follows the star up to the properties, the condition or the end: nothing, n, n.., ..m or n..m.
    stop = at + 1
    while tokens[stop].kind is Kind.NUMBER or tokens[stop].is_sign(".."):
        stop += 1
    _check_upper(tokens[stop - 1])


def _check_upper(token: Token) -> None:
    if token.kind is not Kind.NUMBER or not token.text.isdigit() or int(token.text) > HOPS_MOST:
        raise refused(_HOPS)


def _after_pattern(tokens: Sequence[Token], closing: Mapping[int, int], index: int) -> bool:
    """Tell whether a sign follows a relationship or a group with relationships, so that it means "any number"."""
    before = tokens[index - 1]
    if before.is_sign("-", ">"):
        return True
    if not before.is_sign(")"):
        return False
    start = next(opening for opening, end in closing.items() if end == index - 1)
    at = start + 1
    while at < index - 1:
        end = closing.get(at)
        if end is not None and tokens[at].is_sign("(") and _arrow(tokens, end + 1):
            return True
        at = (at if end is None else end) + 1
    return False


def _arrow(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a relationship begins here."""
    first, second = tokens[index], tokens[index + 1]
    return (first.is_sign("-") and second.is_sign("-", "[", ">", "(")) or (first.is_sign("<") and second.is_sign("-"))


def check_ranges(tokens: Sequence[Token], closing: Mapping[int, int], parameters: Mapping[str, Any]) -> None:
    """Raise Refused for a call of ``range`` that could make a long list."""
    for index, token in enumerate(tokens):
        if token.is_word("range") and index + 1 in closing and tokens[index + 1].is_sign("("):
            at, end = index + 2, closing[index + 1]
            while at < end:
                if tokens[at].is_word("size", "length") and tokens[at + 1].is_sign("("):
                    at = closing[at + 1]
                elif not (tokens[at].is_sign(",", "-", "+") or _short(tokens[at], parameters)):
                    raise refused(_RANGE)
                at += 1


def _short(token: Token, parameters: Mapping[str, Any]) -> bool:
    if token.kind is Kind.NUMBER:
        return token.text.isdigit() and int(token.text) <= RANGE_MOST
    value = parameters.get(token.text)
    return token.kind is Kind.PARAMETER and type(value) is int and abs(value) <= RANGE_MOST


def check_arguments(tokens: Sequence[Token], closing: Mapping[int, int], parameters: Mapping[str, Any]) -> None:
    """Raise Refused for a call whose arguments could make it endless: of ``replace``, ``round``, full text search."""
    for index, token in enumerate(tokens):
        if index + 1 not in closing or not tokens[index + 1].is_sign("("):
            continue
        if token.is_word("replace"):
            _check_replace(_arguments(tokens, closing, index + 1))
        elif token.is_word("round"):
            _check_round(_arguments(tokens, closing, index + 1))
        elif token.is_word("querynodes", "queryrelationships"):
            _check_search(_arguments(tokens, closing, index + 1), parameters)


def _arguments(tokens: Sequence[Token], closing: Mapping[int, int], bracket: int) -> list[Sequence[Token]]:
    """Return the tokens of each argument of a call."""
    found: list[Sequence[Token]] = []
    start = at = bracket + 1
    while at <= closing[bracket]:
        if at == closing[bracket] or tokens[at].is_sign(","):
            found.append(tokens[start:at])
            start = at + 1
        at = closing.get(at, at) + 1
    return found


def _check_replace(arguments: list[Sequence[Token]]) -> None:
    """Raise Refused where the result may be longer than the text."""
    written = [argument[0] for argument in arguments[1:] if len(argument) == 1 and argument[0].kind is Kind.TEXT]
    if len(written) != 2 or len(written[1].text) > len(written[0].text):  # noqa: PLR2004 - what for what
        raise refused("replace takes two texts as written, the second no longer than the first.")


def _check_round(arguments: list[Sequence[Token]]) -> None:
    """Raise Refused where there may be more places than a number has, each of which is computed."""
    places = arguments[1] if len(arguments) > 1 else ()
    if places and not (len(places) == 1 and places[0].text.isdigit() and int(places[0].text) <= PLACES_MOST):
        raise refused(f"round takes a number of places as written, up to {PLACES_MOST}.")


def _check_search(arguments: list[Sequence[Token]], parameters: Mapping[str, Any]) -> None:
    """Raise Refused where a search may hold a regular expression, of which a few letters can fill the memory."""
    asked = arguments[1] if len(arguments) > 1 else ()
    said: object = None
    if len(asked) == 1 and asked[0].kind in (Kind.TEXT, Kind.PARAMETER):
        said = asked[0].text if asked[0].kind is Kind.TEXT else parameters.get(asked[0].text)
    if not isinstance(said, str) or "/" in said:
        raise refused("what a full text search looks for is one text or parameter, without / in it.")
