"""The first half of the gate: what the text of a query says, before Neo4j sees any of it.

A plan shows its operators, and not what is within an expression: constants are taken out of it, and subqueries within
expressions are not drawn. So what a query calls, how far it walks and how it loops is read here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from graph.errors import RefusalCode, Refused
from graph.rules.cypher.copies import check_copies
from graph.rules.cypher.growth import check_arguments, check_hops, check_ranges
from graph.rules.cypher.limits import FIELD, CypherLimits, refused
from graph.rules.cypher.loops import check_loops
from graph.rules.cypher.size import check_size
from graph.rules.cypher.tokens import Kind, Token, partners, tokens_of
from graph.rules.cypher.words import BEFORE_BRACKETS, BEGINNINGS, FORBIDDEN, FUNCTIONS, LIST_TESTS, PROCEDURES, WRITING
from graph.rules.text import check_text, shown


def check_query(text: str, parameters: Mapping[str, Any], limits: CypherLimits) -> None:
    """Raise Refused for a query that may not run, whatever its plan.

    INVALID_INPUT for what is no text, LIMIT_EXCEEDED for one that is too long, CYPHER_REFUSED for what it asks.
    """
    check_text(text, FIELD)
    if len(text) > limits.characters:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{FIELD} has {len(text)} characters; at most {limits.characters} (cypherCharacters) are allowed.",
            field=FIELD,
        )
    tokens = tokens_of(text)
    check_size(tokens)
    closing = partners(tokens)
    # No rule has to look whether there is a next token.
    tokens = [*tokens, *(Token(Kind.SIGN, "", len(text)) for _ in range(4))]
    _check_statement(tokens)
    _check_calls(text, tokens)
    check_hops(tokens, closing)
    check_ranges(tokens, closing, parameters)
    check_arguments(tokens, closing, parameters)
    check_loops(tokens, closing)
    check_copies(tokens, closing)


def _check_statement(tokens: Sequence[Token]) -> None:
    """Raise Refused unless it is one statement that begins as reading ones do."""
    if not tokens[0].is_word(*BEGINNINGS):
        raise refused(
            f"it begins with {shown(tokens[0].text, 20)}, and a query begins with one of "
            f"{', '.join(sorted(word.upper() for word in BEGINNINGS))}; EXPLAIN, PROFILE and the options of CYPHER "
            "are the server's to choose."
        )
    for index, token in enumerate(tokens):
        if token.is_sign(";") and tokens[index + 1].text:
            raise refused("it has something after a semicolon: send one statement at a time.")
        if token.is_word(*FORBIDDEN) and not (index and tokens[index - 1].is_sign(".")):
            raise refused(
                f"{FORBIDDEN[token.text]}, at {_where(token)}; a variable, a key or a label of that name stands in "
                "backticks."
            )


def _check_calls(text: str, tokens: Sequence[Token]) -> None:
    for index, token in enumerate(tokens):
        if token.is_word("call") and tokens[index + 1].is_name and not _is_property(tokens, index):
            _check_procedure(text, tokens, index + 1)
        elif token.is_sign("(") and index and tokens[index - 1].is_name:
            _check_function(tokens, index)


def _is_property(tokens: Sequence[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].is_sign(".")


def _check_procedure(text: str, tokens: Sequence[Token], first: int) -> None:
    last = first
    while tokens[last + 1].is_sign(".") and tokens[last + 2].is_name:
        last += 2
    # The names of procedures are told apart by case, which tokens of words do not keep. Backticks make none of them.
    name = text[tokens[first].offset : tokens[last + 1].offset].strip()
    if name not in PROCEDURES:
        raise refused(f"it calls the procedure {shown(name)}; {', '.join(sorted(PROCEDURES))} may be called.")
    if "fulltext" in name and not tokens[last + 1].is_sign("("):
        # Called without brackets, a procedure takes its arguments from parameters of their names.
        raise refused(f"it calls the procedure {name} without its arguments in brackets.")


def _check_function(tokens: Sequence[Token], bracket: int) -> None:
    first = bracket - 1
    while first >= 2 and tokens[first - 1].is_sign(".") and tokens[first - 2].is_name:  # noqa: PLR2004 - "a . b"
        first -= 2
    path = tokens[first:bracket:2]
    before = tokens[first - 1] if first else None
    if before is not None and (before.is_word("call") or (before.is_sign(":") and _is_hint(tokens, first))):
        return
    name = ".".join(token.text for token in path)
    if any(token.kind is not Kind.WORD for token in path):
        raise refused(f"it calls {shown(name)} by a name in backticks, at {_where(path[0])}.")
    if name in FUNCTIONS or (len(path) == 1 and name in BEFORE_BRACKETS) or name in LIST_TESTS:
        return
    if name in WRITING:
        raise refused(f"{name.upper()}, at {_where(path[0])}, writes, and only what reads is run.")
    raise refused(f"it calls {shown(name)}, at {_where(path[0])}, which is none of the functions that may be called.")


def _is_hint(tokens: Sequence[Token], first: int) -> bool:
    """Tell whether a name stands in a hint: ``USING INDEX x:Label(property)``."""
    return first >= 3 and tokens[first - 2].is_name and tokens[first - 3].is_word("index", "seek")  # noqa: PLR2004


def _where(token: Token) -> str:
    return f"character {token.offset + 1}"
