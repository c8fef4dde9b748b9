"""The project's Cypher is where it belongs, says what it answers, and is used (DESIGN §8)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.queries import query

ROOT = Path(__file__).resolve().parents[2]
CYPHER = ROOT / "cypher"
#: Numbered schema changes are lists of statements, which ``graph.migrations`` loads by their number.
MIGRATION = re.compile(r"schema/\d{4}_[a-z0-9_]+")
NAMES = sorted(str(file.relative_to(CYPHER).with_suffix("")) for file in CYPHER.rglob("*.cypher"))
QUERIES = [name for name in NAMES if not MIGRATION.fullmatch(name)]
#: Words that hardly occur but in Cypher, each as it begins a clause.
CLAUSE = re.compile(
    r"\b(MATCH|MERGE|CREATE|UNWIND)\s*\(|\bUNWIND\s+\$|\bDETACH\s+DELETE\b|\bON\s+CREATE\s+SET\b|\bORDER\s+BY\s+\w+\.\w+"
    r"|\bRETURN\s+\w+(\.\w+)?\s+AS\b|\bCREATE\s+(INDEX|CONSTRAINT)\b|\bSHOW\s+(INDEXES|CONSTRAINTS)\b"
)


def comment_and_text(name: str) -> tuple[str, str]:
    comment, _, text = query(name).text.partition("\n")
    return comment, text


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for package in ("graph", "api", "cli", "seed", "cypher"):
        for file in sorted((ROOT / package).rglob("*.py")):
            yield file, ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return the literals of a module but for docstrings, which nobody can run, with f-strings as one text."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                skipped.add(id(docstring))
            case ast.JoinedStr(values=parts):
                skipped.update(map(id, parts))
                yield node.lineno, "$x".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
            case ast.Constant(value=str(text)) if id(node) not in skipped:
                yield node.lineno, text


def asked_for() -> Iterator[tuple[Path, ast.expr]]:
    """Return what each call of ``query`` names."""
    for file, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "query":
                yield file, node.args[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_starts_with_its_only_comment(name: str) -> None:
    first, *others = (CYPHER / f"{name}.cypher").read_text(encoding="utf-8").splitlines()
    assert first.startswith("// ")
    assert not [line for line in others if "//" in line or "/*" in line]


@pytest.mark.parametrize("name", QUERIES)
def test_the_comment_says_what_is_answered_the_parameters_and_the_rows(name: str) -> None:
    comment, _ = comment_and_text(name)
    assert re.fullmatch(r"// [A-Z].+?[.?] (Parameters: .+?|No parameters)[.,] (Rows: .+|[Nn]o rows)\.?", comment), (
        comment
    )


@pytest.mark.parametrize("name", QUERIES)
def test_the_comment_names_every_parameter_and_no_other(name: str) -> None:
    comment, text = comment_and_text(name)
    used = set(re.findall(r"\$(\w+)", text))
    said = re.search(r"Parameters: (.+?)\. (Rows:|No rows)", comment)
    if said is None:
        assert used == set(), comment
        return
    # What stands in brackets explains the name before it.
    named = set(re.findall(r"\w+", re.sub(r"\([^)]*\)|\{[^}]*\}", "", said[1])))
    assert used <= named, f"{used - named} are not in: {said[1]}"
    words = {"and", "the", "filters", "filter", "a", "of", "list", "lists", "all", "sorted", "names", "each"}
    assert named - used - words == set(), f"{named - used - words} are not in the query: {said[1]}"


def test_every_file_is_used_and_every_name_exists() -> None:
    asked = list(asked_for())
    for file, name in asked:
        assert isinstance(name, ast.Constant), f"{file}:{name.lineno} asks for a query by a name that is computed"
    assert {name.value for _, name in asked if isinstance(name, ast.Constant)} == set(QUERIES)


def test_no_cypher_stands_in_python() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file, tree in sources()
        for line, text in texts(tree)
        if CLAUSE.search(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    ["MATCH (m:Message) RETURN m", "UNWIND $ids AS id", "SHOW INDEXES", "CREATE INDEX x", "RETURN 1 AS one"],
)
def test_cypher_is_recognised(text: str) -> None:
    assert CLAUSE.search(text)
