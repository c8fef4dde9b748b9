"""The public surface: the committed schema, the fixed contract within it, and documented codes."""

import re
from pathlib import Path

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    Undefined,
    build_schema,
    parse,
    print_type,
    validate,
)

from api.sdl import sdl
from graph import errors
from tests.codes import tree

Composite = GraphQLObjectType | GraphQLInterfaceType

ROOT = Path(__file__).parents[2]


def test_the_committed_schema_is_the_one_that_is_served() -> None:
    committed = (ROOT / "schema.graphql").read_text(encoding="utf-8")
    assert committed == sdl(), "the schema changed: run `make schema` and read the difference"


def test_the_contract_is_in_the_schema() -> None:
    """DESIGN §5: these names are fixed; other programs use them."""
    contract = build_schema((ROOT / "tests/api/contract.graphql").read_text(encoding="utf-8"))
    served = build_schema(sdl())
    missing = [difference for name in contract.type_map for difference in _missing(name, contract, served)]
    assert missing == []


def _missing(name: str, contract: GraphQLSchema, served: GraphQLSchema) -> list[str]:
    wanted, found = contract.type_map[name], served.type_map.get(name)
    if found is None or type(found) is not type(wanted):
        return [f"{name} is missing"]
    if isinstance(wanted, GraphQLEnumType) and isinstance(found, GraphQLEnumType):
        return [f"{name}.{value}" for value in wanted.values if value not in found.values]
    if isinstance(wanted, GraphQLUnionType):
        return [] if print_type(wanted).split("=")[1] in print_type(found) else [f"{name} differs"]
    if isinstance(wanted, GraphQLInputObjectType) and isinstance(found, GraphQLInputObjectType):
        added = [field for field, value in found.fields.items() if field not in wanted.fields and _required(value)]
        differing = [f for f, value in wanted.fields.items() if not _same(value, found.fields.get(f))]
        return [f"{name}.{field}" for field in (*added, *differing)]
    if isinstance(wanted, Composite) and isinstance(found, Composite):
        return [
            d for field, output in wanted.fields.items() for d in _differing(f"{name}.{field}", output, found.fields)
        ]
    return []


def _differing(path: str, wanted: GraphQLField, served: dict[str, GraphQLField]) -> list[str]:
    found = served.get(path.split(".")[1])
    if found is None or str(found.type) != str(wanted.type):
        return [f"{path}: {wanted.type}"]
    return [f"{path}({name})" for name, value in wanted.args.items() if not _same(value, found.args.get(name))]


def _same(wanted: GraphQLArgument | GraphQLInputField, found: GraphQLArgument | GraphQLInputField | None) -> bool:
    return found is not None and (str(found.type), found.default_value) == (str(wanted.type), wanted.default_value)


def _required(value: object) -> bool:
    return str(getattr(value, "type", "")).endswith("!") and getattr(value, "default_value", Undefined) is Undefined


@pytest.mark.parametrize("page", ["README.md", "docs/handovers.md", "docs/tasks.md", "docs/questions.md"])
def test_the_documented_operations_are_valid(page: str) -> None:
    blocks = re.findall(r"```graphql\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    operations = [part for block in blocks for part in re.split(r"\n(?=mutation|\{)", block)]
    assert operations
    schema = build_schema(sdl())
    assert [(operation, found) for operation in operations if (found := validate(schema, parse(operation)))] == []


def test_every_error_is_drawn_in_the_tree() -> None:
    drawn = errors.__doc__ or ""
    assert {kind.__name__ for kind in tree() if kind.__name__ not in drawn} == set()
