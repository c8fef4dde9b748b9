"""How much a query may ask of Neo4j's planner, which is not bounded by a transaction's memory, and hardly by its time.

Tried on a machine with two processors: 600 times WITH ended in no memory left, a chain of 20 relationships and another
of 150 went on past every timeout, and 200 XOR, 500 UNION or 2,400 NOT were planned for longer than a query may run.
"""

from collections.abc import Sequence
from itertools import pairwise

from graph.rules.cypher.limits import refused
from graph.rules.cypher.tokens import Token

TOKENS_MOST = 2_000
STEPS_MOST = 30
RELATIONSHIPS_MOST = 10
OPERATORS_MOST = 120
NEGATIONS_MOST = 10
CHAIN_MOST = 4

_STEPS = ("with", "return", "match", "unwind", "call", "union", "let", "filter")
_OPERATORS = ("and", "or", "in", "contains", "starts", "ends", "is", "when")
_SIGNS = ("+", "*", "/", "%", "^", "=", "<", ">")
_NEGATIONS = ("not", "xor")


def check_size(tokens: Sequence[Token]) -> None:
    """Raise Refused for a query that has more of something than any question needs."""
    counted = (
        ("words and signs; lists of values are sent as a parameter", len(tokens), TOKENS_MOST),
        ("clauses", sum(token.is_word(*_STEPS) for token in tokens), STEPS_MOST),
        ("relationships", sum(_begins_relationship(tokens, index) for index in range(len(tokens))), RELATIONSHIPS_MOST),
        ("operators", sum(token.is_word(*_OPERATORS) or token.is_sign(*_SIGNS) for token in tokens), OPERATORS_MOST),
        ("NOT and XOR", sum(token.is_word(*_NEGATIONS) for token in tokens), NEGATIONS_MOST),
        ("properties or places of each other in a row", _longest_chain(tokens), CHAIN_MOST),
    )
    for what, found, most in counted:
        if found > most:
            raise refused(f"it has {found} {what}; at most {most} may be.")


def _begins_relationship(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a relationship begins here: ``-[``, or the first dash of ``--`` and ``-->``."""
    following = tokens[index + 1] if index + 1 < len(tokens) else tokens[index]
    return tokens[index].is_sign("-") and index + 1 < len(tokens) and following.is_sign("-", "[")


def _longest_chain(tokens: Sequence[Token]) -> int:
    """Return how many ``.a.b`` or ``[0][1]`` or dashes follow each other at most."""
    longest = dots = places = dashes = 0
    for before, token in pairwise(tokens):
        if before.is_sign(".") and token.is_name:
            dots += 1
        elif not token.is_sign("."):
            dots = 0
        if before.is_sign("]") and token.is_sign("["):
            places += 1
        elif token.is_sign(",", "(", "{") or token.is_word(*_STEPS):
            places = 0
        dashes = dashes + 1 if token.is_sign("-") and before.is_sign("-") else 0
        longest = max(longest, dots, places, dashes)
    return longest
