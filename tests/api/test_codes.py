"""Each code is raised by a test, documented, and in the schema; the three are compared (issue 4, "must show" 5)."""

import ast
import re
from pathlib import Path

from graphql import GraphQLEnumType, build_schema

from api import errors
from api.sdl import sdl
from graph.errors import RefusalCode
from tests.codes import CODES, RAISED, tree

TESTS = Path(__file__).parents[1]
API = TESTS.parent / "api"
DOCUMENT = TESTS.parent / "docs" / "api.md"


def documented() -> tuple[set[str], set[str]]:
    """Return the codes of the two tables of docs/api.md: of refusals, and of errors."""
    _, _, section = DOCUMENT.read_text(encoding="utf-8").partition("\n## Refusals and errors\n")
    refusals, _, others = section.partition("\n## ")[0].partition("\n| error | says |\n")
    first = {code for line in refusals.splitlines() for code in re.findall(r"^\| `([A-Z_]+)` \|", line)}
    cells = [line.split("|")[1] for line in others.splitlines() if line.startswith("| `")]
    return first, {code for cell in cells for code in re.findall(r"`([A-Z_]+)`", cell)}


def of_requests() -> set[str]:
    """Return the codes of the API's own: of requests that are no good, and of defects."""
    named = {name: value for name, value in vars(errors).items() if name.isupper() and isinstance(value, str)}
    found = set(named.values())
    for path in API.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="HttpError"), args=[_, ast.Constant(value=str(code)), *_]):
                    found.add(code)
                case ast.Call(func=ast.Name(id="HttpError"), args=[_, ast.Name(id=name), *_]) if name in named:
                    found.add(named[name])
    return found


def test_the_schema_and_the_document_have_the_refusals_of_the_program() -> None:
    enum = build_schema(sdl()).type_map["RefusalCode"]
    assert isinstance(enum, GraphQLEnumType)
    refusals = {code.value for code in RefusalCode}
    assert set(enum.values) == refusals
    assert documented()[0] == refusals


def test_the_document_has_every_other_code_and_no_more() -> None:
    refusals = {code.value for code in RefusalCode}
    assert documented()[1] == (CODES | of_requests()) - refusals


def test_every_code_is_expected_by_some_test() -> None:
    """A test names the code, or the class that has it."""
    names: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        if path != Path(__file__):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Constant(value=str(text)):
                        names.add(text)
                    case ast.Attribute(attr=name) | ast.Name(id=name):
                        names.add(name)
    classes = {kind.code: kind.__name__ for kind in tree()}
    every = CODES | set().union(*documented())
    assert {code for code in every if code not in names and classes.get(code) not in names} == set()


def test_a_whole_run_raises_every_code() -> None:
    """The last test of a whole run, and part of no other: see ``pytest_collection_modifyitems``."""
    assert set() == CODES - RAISED
