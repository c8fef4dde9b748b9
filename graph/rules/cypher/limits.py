"""How much an analyst's own Cypher may be, and what a refusal of it looks like."""

from dataclasses import dataclass

from graph.errors import RefusalCode, Refused

#: The argument that every refusal of a query is about.
FIELD = "query"

#: How deep brackets of all kinds may stand in one another.
DEPTH_MOST = 32
#: How many hops a pattern of variable length may have.
HOPS_MOST = 15
#: How many decimal places a number may be rounded to.
PLACES_MOST = 15
#: How far a list made by ``range`` may reach.
RANGE_MOST = 10_000
#: How often one value may come to stand in another, over all steps of a query.
COPIES_MOST = 256
#: The same for what comes after lists were collected, which may be as large as a transaction's memory.
COPIES_OF_LISTS_MOST = 4


@dataclass(frozen=True, slots=True)
class CypherLimits:
    """What one query may be, and what it may answer. ``seconds`` is the transaction's own timeout."""

    characters: int = 10_000
    parameter_bytes: int = 64 * 1024
    rows: int = 1_000
    bytes: int = 2 * 1024 * 1024
    seconds: float = 10.0


def refused(reason: str) -> Refused:
    """Return the refusal of a query that was understood and may not run."""
    return Refused(RefusalCode.CYPHER_REFUSED, f"This query is not run: {reason}", field=FIELD)
