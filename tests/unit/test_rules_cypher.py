"""The gate before analysts' Cypher, by text and by plan: what it reads, and what it lets through (issue 5)."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.rules.cypher.limits import COPIES_MOST, DEPTH_MOST, HOPS_MOST, RANGE_MOST, CypherLimits
from graph.rules.cypher.parameters import check_parameters
from graph.rules.cypher.plan import OPERATORS, check_plan
from graph.rules.cypher.text import check_query
from graph.rules.cypher.tokens import Kind, tokens_of

LIMITS = CypherLimits()


def reason(text: str, **parameters: Any) -> str:
    """Return why a query is refused, empty where it is not."""
    try:
        check_query(text, parameters, LIMITS)
    except Refused as refused:
        return refused.message
    return ""


@given(st.text())
def test_whatever_is_sent_is_read_or_refused(text: str) -> None:
    with suppress(Refused):
        check_query(text, {}, LIMITS)


@given(
    st.lists(
        st.sampled_from([*"()[]{}|,:.*+-<>=", "x", "IN", "range", "1", "'t'", "WITH", "RETURN", "all", "`n`", "$p"])
    )
)
def test_whatever_is_put_together_is_judged(parts: list[str]) -> None:
    with suppress(Refused):
        check_query(f"RETURN {' '.join(parts)}", {"p": 1}, LIMITS)


def test_texts_names_and_comments_are_not_words() -> None:
    found = tokens_of("MATCH /* CREATE */ (`a``b`) // SET\nRETURN 'it\\'s', \"DELETE\", $x, 1.5e-3, [1..2]")
    assert [(token.kind, token.text) for token in found if token.kind is not Kind.SIGN] == [
        (Kind.WORD, "match"),
        (Kind.NAME, "a``b"),
        (Kind.WORD, "return"),
        (Kind.TEXT, "it\\'s"),
        (Kind.TEXT, "DELETE"),
        (Kind.PARAMETER, "x"),
        (Kind.NUMBER, "1.5e-3"),
        (Kind.NUMBER, "1"),
        (Kind.NUMBER, "2"),
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [("RETURN 1,\n  \u00e9", "line 2, column 3"), ("RETURN '", "line 1, column 8"), ("RETURN 1 /* x", "column 10")],
)
def test_what_cannot_be_read_for_sure_has_a_place(text: str, place: str) -> None:
    assert place in reason(text)


def test_bounds_are_met_exactly() -> None:
    hops = "MATCH (a)-[*..%d]->(b) RETURN a"
    group = "MATCH ((a)-->(b)){1,%d} RETURN a"
    for pattern in (hops, group, "MATCH (a)-->{,%d}(b) RETURN a", "MATCH (a)-[:X*%d]-(b) RETURN a"):
        assert reason(pattern % HOPS_MOST) == ""
        assert "at most 15 hops" in reason(pattern % (HOPS_MOST + 1))
    assert reason(f"RETURN range(0, {RANGE_MOST})") == ""
    assert "range takes" in reason(f"RETURN range(0, {RANGE_MOST + 1})")
    assert reason("RETURN range(-$n, size($l) + 1, 2)", n=RANGE_MOST, l=[]) == ""
    for n in (RANGE_MOST + 1, -RANGE_MOST - 1, 1.5, "9", True, None):
        assert "range takes" in reason("RETURN range(0, $n)", n=n)
    assert reason("RETURN " + "[" * DEPTH_MOST + "]" * DEPTH_MOST) == ""
    assert "deep" in reason("RETURN " + "[" * (DEPTH_MOST + 1) + "]" * (DEPTH_MOST + 1))
    copies = "WITH 1 AS x RETURN [%s] AS l"
    assert reason(copies % ", ".join(["x"] * COPIES_MOST)) == ""
    assert "multiplies" in reason(copies % ", ".join(["x"] * (COPIES_MOST + 1)))


def test_copies_are_counted_over_steps_and_not_over_parts_of_a_union() -> None:
    four = "WITH 1 AS x WITH [x, x, x, x] AS x WITH [x, x, x, x] AS x WITH [x, x, x, x] AS x RETURN [x, x, x, x] AS x"
    assert reason(four) == ""
    assert reason(f"{four} UNION {four}") == ""
    assert "multiplies" in reason(four.replace("RETURN", "WITH") + " RETURN [x, x] AS y")
    assert "multiplies" in reason("WITH 'x' AS s " + "WITH s + '-' + s AS s " * 9 + "RETURN s")
    assert "multiplies" in reason(f"CALL {{ {four} UNION {four} }} RETURN [x, x] AS y")


def test_arithmetic_is_no_pattern() -> None:
    for text in (
        "RETURN (size($l) - 1) * 2, -(1) + 2, (1 - 2) * (3 - 4), 2 * -1, [1, 2][0] - 1, count(*) * 2",
        "MATCH (a)-[r]->(b) RETURN (a.x) - b.y, a.x*2, a.x < -1, [r.x, 1]",
        "MATCH (m) WHERE m.x IN [1, 2] AND NOT m.y IN ['a'] RETURN m { .id, n: [1] }",
        "MATCH (`weird ``name`) RETURN `weird ``name`.`a.b`",
    ):
        assert reason(text, l=[1]) == "", text


def test_only_constants_are_searched_within_a_loop() -> None:
    assert reason("MATCH (m) RETURN [x IN m.tags WHERE x IN ['a', 'b'] OR x IN $more | x]", more=[]) == ""
    assert "IN may search" in reason("MATCH (m) RETURN [x IN m.tags WHERE x IN m.tags | x]")
    assert "IN may search" in reason("MATCH (m) RETURN [x IN m.tags WHERE x IN [m.tags][0] | x]")


def test_a_loop_returns_its_own() -> None:
    assert reason("MATCH p = (a)-->(b) RETURN [n IN nodes(p) | {id: n.id, all: size(n.tags), one: true}]") == ""
    assert reason("MATCH (m) RETURN [(m)-[r]->(d:X|Y) WHERE d.id <> m.id | [r.at, d.id, m.id]]") == ""
    for result in ("m", "m.text", "[x, m]", "$p", "range(1, 9)", "split(x, '')", "COLLECT { MATCH (n) RETURN n }"):
        assert "each round" in reason(f"MATCH (m) RETURN [x IN m.tags | {result}]", p=1), result


@pytest.mark.parametrize(
    "name", ["explain", "profile", "cypher", "show", "use", "create", "load", "begin", "finish", "-"]
)
def test_a_query_begins_as_reading_ones_do(name: str) -> None:
    assert "it begins with" in reason(f"{name} (n) RETURN n")


@pytest.mark.parametrize("word", ["USE", "LOAD", "TRANSACTIONS", "REPEATABLE"])
def test_words_that_a_plan_does_not_show_stand_in_backticks(word: str) -> None:
    assert "backticks" in reason(f"MATCH (n) RETURN n.x AS {word}")
    assert reason(f"MATCH (n) RETURN n.{word} AS `{word}`") == ""


def plan(*operators: tuple[str, str]) -> dict[str, Any]:
    """Return a plan of these operators with their details, each the child of the one before."""
    found: dict[str, Any] = {}
    for name, details in reversed(operators):
        children = [found] if found else []
        found = {"operatorType": name, "args": {"Details": details}, "children": children}
    return found


def test_a_plan_of_reading_steps_may_run() -> None:
    check_plan("r", plan(("ProduceResults@neo4j", "x"), ("VarLengthExpand(Pruning,BFS,All)@neo4j", "(a)-[*..5]->(b)")))
    check_plan("r", plan(("ProcedureCall@neo4j", "db.labels() :: (label :: STRING)")))


@pytest.mark.parametrize(
    ("kind", "name", "details"),
    [
        ("w", "Filter@neo4j", ""),
        ("rw", "Filter@neo4j", ""),
        ("s", "Filter@neo4j", ""),
        (None, "Filter@neo4j", ""),
        ("r", "SetProperty@neo4j", ""),
        ("r", "LoadCSV@neo4j", "line"),
        ("r", "ShowTransactions@neo4j", ""),
        ("r", "TerminateTransactions@neo4j", ""),
        ("r", "TransactionForeach@neo4j", ""),
        ("r", "PartitionedAllNodesScan@neo4j", ""),
        ("r", "RunQueryAt@neo4j", ""),
        ("r", "SomethingNew@neo4j", ""),
        ("r", "", ""),
        ("r", "ProcedureCall@neo4j", "db.createLabel($autostring_0) :: ()"),
        ("r", "ProcedureCall@neo4j", ""),
        ("r", "Projection@neo4j", "reduce(a = $autoint_0, x IN l | a + x) AS r"),
        ("r", "Projection@neo4j", "CASE WHEN EXISTS { MATCH (m)-->(n) WHERE n.y IN [REDUCE (a = 1, x IN l | a)] }"),
        ("r", "Projection@neo4j", "a.x =~ $autostring_0 AS y"),
        ("r", "Projection@neo4j", "[x IN l | any(y IN x WHERE y = x)] AS z"),
    ],
)
def test_a_plan_with_one_other_step_is_refused(kind: str | None, name: str, details: str) -> None:
    with pytest.raises(Refused) as caught:
        check_plan(kind, plan(("ProduceResults@neo4j", "x"), (name, details)))
    assert caught.value.refusal is RefusalCode.CYPHER_REFUSED


def test_no_plan_is_refused_and_a_deep_one_is_read() -> None:
    with pytest.raises(Refused):
        check_plan("r", None)
    check_plan("r", plan(*[("Filter@neo4j", "")] * 5_000))


def test_no_operator_that_writes_is_known() -> None:
    words = (
        "Create",
        "Delete",
        "Set",
        "Remove",
        "Merge",
        "Foreach",
        "Load",
        "Show",
        "Terminate",
        "Drop",
        "Lock",
        "Admin",
    )
    assert [name for name in OPERATORS if name.startswith(words) or "Transaction" in name] == []


@pytest.mark.parametrize(
    "given_",
    ["x", [], 1, {"x": object()}, {"x": float("nan")}, {"x": 2**63}, {"x": "\udc00"}, {"\ud800": 1}],
)
def test_parameters_that_are_no_json_object_are_refused(given_: object) -> None:
    with pytest.raises(Refused) as caught:
        check_parameters(given_, LIMITS)
    assert (caught.value.refusal, caught.value.field) == (RefusalCode.INVALID_INPUT, "parameters")


def test_parameters_are_bounded() -> None:
    assert check_parameters(None, LIMITS) == {}
    assert check_parameters({"a": [1, None, {"b": "\u00e9"}]}, LIMITS) == {"a": [1, None, {"b": "\u00e9"}]}
    deep: object = 1
    for _ in range(20):
        deep = [deep]
    for wrong in ({"x": "x" * 70_000}, {"x": deep}):
        with pytest.raises(Refused):
            check_parameters(wrong, LIMITS)


def test_calls_that_could_be_endless_take_what_is_written() -> None:
    search = "CALL db.index.fulltext.queryNodes('message_text', %s) YIELD node RETURN node"
    assert reason(search % "'high \"water mark\"'") == ""
    assert reason(search % "$q, {limit: 5}", q="tide*") == ""
    for asked in ("'/a/'", "$q", "'a' + 'b'", "$none", "n.x"):
        assert "full text search" in reason(search % asked, q="a/b"), asked
    assert "in brackets" in reason("CALL db.index.fulltext.queryNodes", queryString="/a/")
    assert reason("RETURN round(1.5), round(1.5, 2), round(1.5, 2, 'HALF_UP'), round(size([1, 2]), 0)") == ""
    assert "round takes" in reason("RETURN round(1.5, 16)")
    assert "round takes" in reason("RETURN round(1.5, $p)", p=1)
    assert reason("MATCH (n) RETURN replace(n.x, '-', ' '), replace(left(n.x, 2), 'ab', '')") == ""
    for arguments in ("n.x, '-', '--'", "n.x, n.y, ''", "n.x, '-', n.y", "n.x", ""):
        assert "replace takes" in reason(f"MATCH (n) RETURN replace({arguments})"), arguments


def test_a_query_is_no_larger_than_a_question() -> None:
    chain = "MATCH " + "-->".join(f"(n{number})" for number in range(11)) + " RETURN n0"
    assert reason(chain) == ""
    assert "relationships" in reason(chain.replace("(n0)", "(x)<-[:X]-(n0)"))
    assert reason("MATCH (a)" + " WITH a" * 28 + " RETURN a") == ""
    assert "clauses" in reason("MATCH (a)" + " WITH a" * 29 + " RETURN a")
    assert "NOT and XOR" in reason("RETURN " + "NOT " * 11 + "true")
    assert "in a row" in reason("MATCH (a) RETURN a.b.c.d.e.f")
    assert "in a row" in reason("RETURN $l[0][0][0][0][0][0]", l=[])
    assert "words and signs" in reason("RETURN [" + ", ".join(["1"] * 1_000) + "]")
    assert "operators" in reason("RETURN " + "*".join(["1"] * 122))
