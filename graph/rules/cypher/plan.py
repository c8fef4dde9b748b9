"""The second half of the gate: what Neo4j says that it would do.

The plan is of ``EXPLAIN`` and runs nothing. An operator that is not named here is refused, whether it writes, reads
something else than this graph, or is of a Neo4j that nobody has looked at yet.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graph.errors import Refused
from graph.rules.cypher.limits import refused
from graph.rules.cypher.loops import check_loops
from graph.rules.cypher.tokens import Kind, Token, partners, tokens_of
from graph.rules.cypher.words import PROCEDURES
from graph.rules.text import shown

READING = "r"

_SCANS = """
    AllNodesScan NodeByLabelScan UnionNodeByLabelsScan IntersectionNodeByLabelsScan SubtractionNodeByLabelsScan
    DynamicLabelNodeLookup NodeByIdSeek NodeByElementIdSeek NodeIndexScan NodeIndexSeek NodeUniqueIndexSeek
    NodeIndexSeekByRange NodeUniqueIndexSeekByRange NodeIndexContainsScan NodeIndexEndsWithScan MultiNodeIndexSeek
    AssertingMultiNodeIndexSeek NodeCountFromCountStore RelationshipCountFromCountStore
    DirectedAllRelationshipsScan UndirectedAllRelationshipsScan
    DirectedRelationshipTypeScan UndirectedRelationshipTypeScan
    DirectedUnionRelationshipTypesScan UndirectedUnionRelationshipTypesScan
    DynamicDirectedRelationshipTypeLookup DynamicUndirectedRelationshipTypeLookup
    DirectedRelationshipByIdSeek UndirectedRelationshipByIdSeek
    DirectedRelationshipByElementIdSeek UndirectedRelationshipByElementIdSeek
    DirectedRelationshipIndexScan UndirectedRelationshipIndexScan
    DirectedRelationshipIndexSeek UndirectedRelationshipIndexSeek
    DirectedRelationshipUniqueIndexSeek UndirectedRelationshipUniqueIndexSeek
    DirectedRelationshipIndexSeekByRange UndirectedRelationshipIndexSeekByRange
    DirectedRelationshipUniqueIndexSeekByRange UndirectedRelationshipUniqueIndexSeekByRange
    DirectedRelationshipIndexContainsScan UndirectedRelationshipIndexContainsScan
    DirectedRelationshipIndexEndsWithScan UndirectedRelationshipIndexEndsWithScan
"""
_WALKS = """
    Expand OptionalExpand VarLengthExpand ProjectEndpoints ShortestPath Repeat BidirectionalRepeat
    PathPropagatingBFS
"""
_JOINS = """
    Apply SemiApply AntiSemiApply LetSemiApply LetAntiSemiApply SelectOrSemiApply SelectOrAntiSemiApply
    LetSelectOrSemiApply LetSelectOrAntiSemiApply RollUpApply ConditionalApply AntiConditionalApply Argument
    CartesianProduct NodeHashJoin NodeLeftOuterHashJoin NodeRightOuterHashJoin ValueHashJoin AssertSameNode
    AssertSameRelationship TriadicSelection TriadicBuild TriadicFilter Optional OptionalApply Union OrderedUnion
"""
_ROWS = """
    CacheProperties Distinct OrderedDistinct Eager EagerAggregation OrderedAggregation EmptyResult EmptyRow
    ExhaustiveLimit Filter Limit PartialSort PartialTop ProcedureCall ProduceResults Projection Skip Sort Top
    Top1WithTies Unwind Input NonFuseable
"""
OPERATORS = frozenset(f"{_SCANS} {_WALKS} {_JOINS} {_ROWS}".split())

_NAME = re.compile(r"[A-Za-z0-9]+")
_PROCEDURE = re.compile(r"[\w.]+")
_ENDLESS = re.compile(r"\b(?:all)?reduce\s*\(|=~", re.IGNORECASE)


def check_plan(query_type: str | None, plan: Mapping[str, Any] | None) -> None:
    """Raise Refused with CYPHER_REFUSED unless the query only reads, and by operators that are known to."""
    if plan is None:
        raise refused("Neo4j makes no plan for it.")
    for operator in _operators(plan):
        match = _NAME.match(operator["operatorType"])
        name = match[0] if match else ""
        details = str(operator.get("args", {}).get("Details", ""))
        if name not in OPERATORS:
            raise refused(f"its plan has the step {shown(name)}, which is none of those that only read this graph.")
        if name == "ProcedureCall":
            called = _PROCEDURE.match(details)
            if called is None or called[0] not in PROCEDURES:
                raise refused(f"its plan calls the procedure {shown(details)}.")
        if _ENDLESS.search(details):
            raise refused("its plan has a loop within one expression (reduce or a regular expression).")
        _check_details(details)
    if query_type != READING:
        raise refused(f"Neo4j takes it for one of type {shown(str(query_type))}, and only reading ones are run.")


def _operators(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every step of a plan, without recursion: a plan is as deep as its query is long."""
    waiting = [plan]
    while waiting:
        operator = waiting.pop()
        yield operator
        waiting.extend(operator.get("children", ()))


def _check_details(details: str) -> None:
    """Look for loops in loops in what a plan says of a step, where that can be read as Cypher at all."""
    try:
        tokens = tokens_of(details)
        closing = partners(tokens)
    except Refused:
        # Plans name things in ways of their own. What the query itself says was read before.
        return
    check_loops([*tokens, *(Token(Kind.SIGN, "", len(details)) for _ in range(4))], closing, planned=True)
