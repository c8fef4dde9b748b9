"""What is asked when one looks back: what one sent in a year, who writes to whom, what two wrote to each other."""

from collections.abc import Callable
from typing import Any

from bench.letters import READER
from bench.requests import PAGE
from bench.scripts import Listener
from bench.walks.asking import ALL, HUB, Question
from bench.walks.shapes import ANNALIST, CHRONICLER, FELLOWS, Shapes
from graph.correspondence import ConversationFilter, conversation, correspondence
from graph.history import sender_history
from graph.rules.periods import FIRST_MOMENT, LAST_MOMENT, Period

HISTORY = """
query History($handle: Address, $since: DateTime, $until: DateTime) {
  senderHistory(handle: $handle, since: $since, until: $until, bucket: WEEK) {
    until capped
    total { ...figures recipients { entries { name count } others } tags { entries { name count } others } }
    parts { since until figures { ...figures } }
  }
}
fragment figures on HistoryFigures { sent replies unanswered threadsStarted threadsClosed medianResponseSeconds }
"""
MATRIX = """
query Matrix($since: DateTime, $until: DateTime) {
  communicationMatrix(since: $since, until: $until) {
    messages capped truncated
    rows { source target weight answered unanswered medianResponseSeconds }
  }
}
"""
GRAPH = """
query Graph($filter: ConversationFilter) {
  conversationGraph(filter: $filter) {
    messages capped truncated
    nodes { address sent received }
    edges { source target weight medianResponseSeconds }
    measures { address inDegree outDegree betweenness pageRank community }
  }
}
"""
CORRESPONDENCE = """
query Correspondence($between: [Address!]!, $first: Int) {
  correspondence(between: $between, first: $first) {
    edges { cursor node { id subject createdAt sender { handle } thread { id } } }
    pageInfo { hasNextPage endCursor }
  }
}
"""


def looking_back(shapes: Shapes) -> list[Question]:
    """Return what is asked of years, of the office and of two."""
    return [
        _history(shapes, CHRONICLER, shapes.sizes.chronicler),
        _history(shapes, ANNALIST, shapes.sizes.annalist),
        _matrix(shapes),
        _graph(shapes),
        _correspondence("correspondence of two", [READER, CHRONICLER]),
    ]


def _history(shapes: Shapes, sender: str, count: int) -> Question:
    async def use(database: Listener) -> object:
        return await sender_history(database, HUB, sender, shapes.year)

    def answered(data: dict[str, Any]) -> bool:
        history = data["senderHistory"]
        parts = sum(part["figures"]["sent"] for part in history["parts"])
        return history["capped"] is False and history["total"]["sent"] == parts == count

    year = {"since": shapes.year.since.isoformat(), "until": shapes.year.until.isoformat()}
    what = f"sender history of a year, {count:,} messages"
    return Question(what, HUB, HISTORY, {"handle": sender, **year}, answered, use)


def _matrix(shapes: Shapes) -> Question:
    def answered(data: dict[str, Any]) -> bool:
        matrix = data["communicationMatrix"]
        # Each pair wrote to each other, and nobody is the fellow of a fellow of his.
        return matrix["messages"] == shapes.sizes.office and len(matrix["rows"]) == 2 * shapes.sizes.clerks * FELLOWS

    return _conversation(f"matrix of {shapes.sizes.clerks} agents", MATRIX, shapes, _week(shapes), answered)


def _graph(shapes: Shapes) -> Question:
    def answered(data: dict[str, Any]) -> bool:
        return len(data["conversationGraph"]["measures"]) == shapes.sizes.clerks

    what = f"conversation of {shapes.sizes.clerks} agents, with measures"
    return _conversation(what, GRAPH, shapes, {"filter": _week(shapes)}, answered)


def _conversation(
    what: str, query: str, shapes: Shapes, said: dict[str, Any], answered: Callable[[dict[str, Any]], bool]
) -> Question:
    async def use(database: Listener) -> object:
        return await conversation(database, ALL, ConversationFilter(shapes.week))

    return Question(what, ALL, query, said, answered, use)


def _week(shapes: Shapes) -> dict[str, str]:
    return {"since": shapes.week.since.isoformat(), "until": shapes.week.until.isoformat()}


def _correspondence(what: str, between: list[str]) -> Question:
    async def use(database: Listener) -> object:
        return await correspondence(database, HUB, between, Period(FIRST_MOMENT, LAST_MOMENT), PAGE, None)

    def answered(data: dict[str, Any]) -> bool:
        return len(data["correspondence"]["edges"]) == PAGE

    return Question(what, HUB, CORRESPONDENCE, {"between": between, "first": PAGE}, answered, use)
