"""docs/lessons.md has every lesson, and each is shown by tests that exist (issue 4, "must show" 4)."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LESSONS = range(1, 24)
ROW = re.compile(r"^\| (\d+) \|.*\| ([^|]+) \|$", re.MULTILINE)
NAME = re.compile(r"`(tests/[a-z_/]+\.py)::(?:(\w+)::)?(test_\w+)`")

rows = {int(number): shown for number, shown in ROW.findall((ROOT / "docs/lessons.md").read_text(encoding="utf-8"))}


def test_each_lesson_is_there_with_the_tests_that_show_it() -> None:
    assert list(rows) == list(LESSONS)
    unnamed = {number: NAME.sub("", shown).replace(",", "").strip() for number, shown in rows.items()}
    assert {number: left for number, left in unnamed.items() if left} == {}
    assert [number for number, shown in rows.items() if not NAME.search(shown)] == []


def test_each_test_that_is_named_exists() -> None:
    named = {found for shown in rows.values() for found in NAME.findall(shown)}
    assert {(path, kind, test) for path, kind, test in named if test not in _tests(path, kind)} == set()


def _tests(path: str, kind: str) -> set[str]:
    """Return the names of the tests of a file, or of a class of it; none of a file that is not there."""
    if not (ROOT / path).is_file():
        return set()
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    if kind:
        body = [each for of in body if isinstance(of, ast.ClassDef) and of.name == kind for each in of.body]
    return {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
