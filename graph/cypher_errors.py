"""What Neo4j says of an analyst's own query, as refusals: unlike everywhere else, the query is the caller's.

``graph.database.translated`` speaks of the program's own queries, in which a syntax error is a defect that no caller
can do anything about. Here it is the answer. Whatever is not about the query is left to that function.
"""

import re

from neo4j.exceptions import Neo4jError

from graph.errors import RefusalCode, Refused
from graph.rules.cypher.limits import FIELD, CypherLimits, refused

#: What is put before a query to have it explained, on a line of its own.
EXPLAIN = "EXPLAIN\n"

_POSITION = re.compile(r"\(line (\d+), column (\d+) \(offset: (\d+)\)\)?")
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
_TERMINATED = ("Neo.ClientError.Transaction.TransactionTerminated", "Neo.TransientError.Transaction.Terminated")
_MEMORY = re.compile(r"Neo\.TransientError\.General\.\w*(Memory|OutOf)\w*")
_DEEP = "Neo.TransientError.General.StackOverFlowError"
_WRITES = "Neo.ClientError.Statement.AccessMode"
_OF_THE_QUERY = (
    "Neo.ClientError.Statement.",
    "Neo.ClientError.Procedure.",
    "Neo.ClientError.Schema.",
    "Neo.ClientError.Database.",
    "Neo.DatabaseError.Statement.",
)


def of_query(error: Neo4jError, limits: CypherLimits, *, explaining: bool) -> Refused | None:
    """Return the refusal that an error means for a query; None for what is the database's own trouble.

    ``explaining``: what failed was the query with EXPLAIN on a line before it, so positions are of that text.
    """
    code = error.code or ""
    if code.startswith(_TIMED_OUT) or code in _TERMINATED:
        return timed_out(limits)
    if _MEMORY.fullmatch(code):
        return Refused(
            RefusalCode.LIMIT_EXCEEDED,
            "The query needs more memory than one transaction may have: collect, sort or join fewer rows.",
            field=FIELD,
        )
    if code == _DEEP:
        return refused("it is nested too deeply for Neo4j.")
    if code == _WRITES or code.startswith("Neo.ClientError.Security."):
        return refused("Neo4j takes it for one that does more than read.")
    if code.startswith(_OF_THE_QUERY):
        return Refused(RefusalCode.INVALID_INPUT, f"Neo4j says: {_said(error, explaining=explaining)}", field=FIELD)
    return None


def timed_out(limits: CypherLimits) -> Refused:
    """Return the refusal of a query that took too long."""
    return Refused(
        RefusalCode.LIMIT_EXCEEDED,
        f"The query took longer than {limits.seconds:g} seconds (cypherSeconds) and was stopped: begin it from an "
        "index, bound its patterns, or count less.",
        field=FIELD,
    )


def _said(error: Neo4jError, *, explaining: bool) -> str:
    """Return the message on one line, with positions in the query as the caller wrote it."""
    message = error.message or "no more than that"
    position = _POSITION.search(message)
    if position is None:
        return " ".join(message.split())
    # After the position comes the line of the query, and below it a mark that points into it.
    text = " ".join(message[: position.start()].split())
    line, column, offset = (int(number) for number in position.groups())
    if explaining:
        line, offset = line - 1, offset - len(EXPLAIN)
    return f"{text} (line {line}, column {column}, offset {offset})"
