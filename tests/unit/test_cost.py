"""Depth, aliases and cost of documents, measured without running them."""

import pytest
from graphql import build_schema, parse
from hypothesis import given
from hypothesis import strategies as st

from api.cost import (
    ASSUMED_LIST,
    CEILING,
    INTROSPECTION_COST,
    Paging,
    Shape,
    cost_of,
    operations_of,
    shape_of,
    size_variables,
    variable_sizes,
)

SCHEMA = build_schema("""
    interface Node { id: ID! }
    type Mail implements Node { id: ID!  tags: [String!]!  to: [Address!]!  replies(first: Int = 20): Mails! }
    type Address { name: String! }
    type Edge { node: Mail! }
    type Info { more: Boolean! }
    type Mails { edges: [Edge!]!  info: Info!  count: Int! }
    type Changes { changed: [Mail!]! }
    type Result { id: ID!  mail: Mail }
    type Payload { results: [Result!]! }
    union Target = Mail | Address
    type Query {
      inbox(first: Int, last: Int): Mails!
      changes(first: Int = 100): Changes!
      nodes(ids: [ID!]!): [Node]!
      target: Target
      mail: Mail
    }
    input Letter { text: String! }
    type Mutation { mark(ids: [ID!]): Payload!  sendAll(inputs: [Letter!]!): Payload! }
""")


def cost(query: str, **variables: object) -> int:
    """Return the cost of the only operation of a query."""
    document = parse(query)
    (operation,) = operations_of(document)
    sizes = variable_sizes(size_variables(document), operation, variables)
    return cost_of(SCHEMA, document, operation, dict(sizes), Paging(default=20, most=100))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{ mail { id tags } }", 3),
        # A list that nothing bounds is taken to have a few entries.
        ("{ mail { to { name } } }", 2 + ASSUMED_LIST),
        # Only the list of a page is multiplied, not what stands beside it.
        ("{ inbox(first: 50) { count info { more } edges { node { id } } } }", 1 + 1 + 2 + 1 + 50 * 2),
        ("{ inbox(last: 50) { edges { node { id } } } }", 2 + 50 * 2),
        ("{ inbox { edges { node { id } } } }", 2 + 20 * 2),
        ("{ inbox(first: null) { edges { node { id } } } }", 2 + 20 * 2),
        ("{ changes { changed { id } } }", 2 + 100),
        ("{ changes(first: 7) { changed { id } } }", 2 + 7),
        # Sizes that the field will refuse count as the nearest that it allows.
        ("{ inbox(first: 999999999999999999999) { edges { node { id } } } }", 2 + 100 * 2),
        ("{ inbox(first: -5) { edges { node { id } } } }", 2 + 2),
        ("{ inbox(first: 10) { edges { node { replies(first: 10) { edges { node { id } } } } } } }", 2 + 10 * 23),
        ('{ nodes(ids: ["a", "b", "c"]) { id } }', 1 + 3),
        ('mutation { mark(ids: ["a", "b"]) { results { id mail { id } } } }', 2 + 2 * 3),
        ("mutation { mark { results { id } } }", 2 + 20),
        ('mutation { sendAll(inputs: [{text: "a"}, {text: "b"}]) { results { id mail { id } } } }', 2 + 2 * 3),
        ("{ target { __typename ... on Mail { id to { name } } ... on Address { name } } }", 1 + 1 + 2 + 5 + 1),
        ("{ ... @include(if: true) { mail { id } } }", 2),
        ("{ __typename }", 1),
        ('{ __schema { types { fields { name } } } __type(name: "Mail") { name } }', 2 * INTROSPECTION_COST),
    ],
)
def test_cost(query: str, expected: int) -> None:
    assert cost(query) == expected


def test_cost_reads_variables_and_their_defaults() -> None:
    query = "query ($n: Int = 30) { inbox(first: $n) { edges { node { id } } } }"
    assert cost(query) == 2 + 30 * 2
    assert cost(query, n=5) == 2 + 5 * 2
    assert cost(query, n=None) == 2 + 20 * 2
    assert cost(query, n=True) == 2 + 20 * 2
    assert cost("query ($i: [ID!]!) { nodes(ids: $i) { id } }", i=["a"] * 40) == 1 + 40
    several = "mutation ($i: [Letter!]!) { sendAll(inputs: $i) { results { id } } }"
    assert cost(several, i=[{"text": "a"}] * 120) == 2 + 120


def test_a_fragment_costs_what_its_place_makes_it_cost() -> None:
    fragment = "fragment F on Mails { edges { node { id } } }"
    query = f"{{ inbox(first: 3) {{ ...F }} mail {{ replies(first: 4) {{ ...F }} }} }} {fragment}"
    assert cost(query) == (2 + 3 * 2) + 1 + (2 + 4 * 2)


def test_cost_of_fragments_that_multiply_each_other_is_bounded() -> None:
    levels = " ".join(
        f"fragment F{n} on Mail {{ replies(first: 100) {{ edges {{ node {{ ...F{n + 1} ...F{n + 1} }} }} }} }}"
        for n in range(40)
    )
    assert cost(f"{{ mail {{ ...F0 }} }} {levels} fragment F40 on Mail {{ id }}") == CEILING


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{ a }", Shape(1, 0)),
        ("{ a { b { c } d } e }", Shape(3, 0)),
        ("{ ... { a { ... on T { b } } } }", Shape(2, 0)),
        ("{ x: a y: b { z: c } }", Shape(2, 3)),
        ("{ a a a { b b } }", Shape(2, 3)),
        ("{ ...F ...F } fragment F on Q { x: a { b } }", Shape(2, 2)),
        ("{ __schema { types { fields { type { ofType { name } } } } } }", Shape(1, 0)),
        ("{ ...Missing }", Shape(0, 0)),
        ("{ ...F } fragment F on Q { a { ...F } }", Shape(1, 0)),
        ("query A { a } query B { x: a { b } }", Shape(2, 1)),
        ("fragment F on Q { x: a }", Shape(0, 0)),
    ],
)
def test_shape(query: str, expected: Shape) -> None:
    assert shape_of(parse(query)) == expected


def test_fragments_nested_beyond_any_use_end_the_measuring() -> None:
    chain = " ".join(f"fragment F{n} on Q {{ a {{ ...F{n + 1} }} }}" for n in range(300))
    assert shape_of(parse(f"{{ ...F0 }} {chain}")).depth > 100


def test_variables_that_bound_no_list_are_not_looked_at() -> None:
    fragment = "fragment F on Query { nodes(ids: $i) { x(y: $t) } }"
    query = f"query ($n: Int, $t: ID) {{ inbox(first: $n) {{ count }} ...F }} {fragment}"
    assert size_variables(parse(query)) == ("i", "n")


@given(st.integers(0, 120), st.integers(0, 120))
def test_a_larger_page_never_costs_less(first: int, second: int) -> None:
    query = "query ($n: Int) { inbox(first: $n) { edges { node { id } } } }"
    small, large = sorted((first, second))
    assert cost(query, n=small) <= cost(query, n=large)


def test_only_changes_have_pages_larger_than_those_of_connections() -> None:
    """A page of 500 changes is counted as 500; a size that a field will refuse, as the most that it allows."""
    schema = build_schema("type Query { mailboxChanges(first: Int = 100): Told!  inbox(first: Int): Told! } "
                          "type Told { changed: [Mail!]! } type Mail { id: ID! }")  # fmt: skip
    paging = Paging(default=20, most=100, changes=500)

    def counted(query: str) -> int:
        document = parse(query)
        return cost_of(schema, document, operations_of(document)[0], {}, paging)

    assert counted("{ mailboxChanges(first: 500) { changed { id } } }") == 2 + 500
    assert counted("{ mailboxChanges(first: 501) { changed { id } } }") == 2 + 500
    assert counted("{ mailboxChanges { changed { id } } }") == 2 + 100
    assert counted("{ inbox(first: 500) { changed { id } } }") == 2 + 100
