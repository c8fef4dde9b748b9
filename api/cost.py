"""How large a query is, known before it runs: its depth, its aliases and its cost.

Fragments are measured once each and their measure is reused wherever they are spread, so that a document whose
fragments multiply each other takes no longer to measure than to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLArgument,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    is_list_type,
    is_non_null_type,
)

# A number that no limit reaches. Counts stop here, so that multiplied fragments cannot make integers of any length.
CEILING = 1_000_000_000
# The parser refuses deeper nesting in one definition; the same bound holds here for fragments within fragments.
MAX_NESTING = 200
# What an introspection field costs, whatever is selected below it: it reads no mail, but builds a large answer.
INTROSPECTION_COST = 1_000
# What fields cost that read up to thousands of messages for one answer, or whatever a query asks.
HEAVY_COST = 1_000
HEAVY = frozenset({"senderHistory", "retrospective", "communicationMatrix", "conversationGraph", "cypher"})
# How many entries a list is taken to have when no argument bounds it, such as the recipients of a message.
ASSUMED_LIST = 5

# The field whose pages may be larger than those of connections.
CHANGES = "mailboxChanges"

#: Arguments that are a list with an answer for each entry; unlike a page size, their length is never cut.
LIST_ARGUMENTS = ("ids", "inputs")
SIZE_ARGUMENTS = ("first", "last", "limit", *LIST_ARGUMENTS)

# Variables by name, each with the number it gives, if any: hashable, so that a cost can be remembered by it.
Sizes = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """Depth of the deepest operation, in fields; aliases and repeated fields of all operations together."""

    depth: int = 0
    aliases: int = 0


def operations_of(document: DocumentNode) -> list[OperationDefinitionNode]:
    """Return the operations of a document in the order written."""
    return [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """Return the fragments of a document by name."""
    return {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}


def shape_of(document: DocumentNode) -> Shape:
    """Measure depth and aliases by the text alone; the document need not be valid, nor free of fragment cycles.

    A field asked for again in the same selection counts as an alias: it asks twice for one thing just as an alias
    does, and the check that repeated fields agree takes time with the square of their number. What is selected below
    ``__schema`` and ``__type`` is not counted, because tools ask for the type system in one deep standard query.
    """
    fragments = fragments_of(document)
    known: dict[str, Shape] = {}

    def measure(selections: SelectionSetNode, nesting: int) -> Shape:
        if nesting > MAX_NESTING:
            return Shape(depth=nesting)
        depth = aliases = 0
        seen: set[str] = set()
        for selection in selections.selections:
            if isinstance(selection, FieldNode):
                name = selection.alias.value if selection.alias else selection.name.value
                aliases += bool(selection.alias) or name in seen
                seen.add(name)
                below = Shape()
                if selection.selection_set and not selection.name.value.startswith("__"):
                    below = measure(selection.selection_set, nesting + 1)
                below = Shape(below.depth + 1, below.aliases)
            elif isinstance(selection, InlineFragmentNode):
                below = measure(selection.selection_set, nesting + 1)
            else:
                below = spread(cast("FragmentSpreadNode", selection).name.value, nesting + 1)
            depth = max(depth, below.depth)
            aliases = min(aliases + below.aliases, CEILING)
        return Shape(depth, aliases)

    def spread(name: str, nesting: int) -> Shape:
        if name not in known and name in fragments:
            known[name] = Shape()  # Stands for the fragment while it is measured: a cycle ends here.
            known[name] = measure(fragments[name].selection_set, nesting)
        return known.get(name, Shape())

    shapes = [measure(operation.selection_set, 1) for operation in operations_of(document)]
    return Shape(
        max((shape.depth for shape in shapes), default=0),
        min(sum(shape.aliases for shape in shapes), CEILING),
    )


@dataclass(frozen=True, slots=True)
class Paging:
    """How many entries a list has that is paged: when the query does not say, and at most.

    ``changes`` is the most of the one field with a larger page, ``mailboxChanges``; None: no larger than the others.
    """

    default: int
    most: int
    changes: int | None = None

    def most_of(self, field: str) -> int:
        """Return the largest page of a field."""
        return self.changes if self.changes is not None and field == CHANGES else self.most


def cost_of(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    sizes: Mapping[str, int | None],
    paging: Paging,
) -> int:
    """Count the fields that the operation may make the server resolve. The document must be valid.

    A field costs 1, and those that count messages by the thousand 1,000. What is below a list costs as often as the
    list has entries: the field's own ``first``, ``last``, ``limit`` or number of ``ids`` or ``inputs``, or those of the
    field that the list belongs to (``inbox(first: 50) { edges { … } }``), else ``ASSUMED_LIST``. ``sizes`` holds the
    variables that such arguments use, as ``variable_sizes`` reads them.
    A page size above the most allowed counts as the most, since the field itself will refuse it and say why.
    """
    # Validation has refused an operation that the schema has no root type for.
    root = cast("GraphQLObjectType", schema.get_root_type(operation.operation))
    return _Counter(schema, document, sizes, paging).total(operation.selection_set, root, None)


class _Counter:
    """Counts one operation. ``size`` is how many entries the lists directly below the parent field have, if known."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, sizes: Mapping[str, int | None], paging: Paging
    ) -> None:
        self._types = schema.type_map
        self._fragments = fragments_of(document)
        self._sizes = sizes
        self._paging = paging
        self._known: dict[tuple[str, int | None], int] = {}

    def total(self, selections: SelectionSetNode, parent: GraphQLNamedType, size: int | None) -> int:
        return min(sum(self._each(node, parent, size) for node in selections.selections), CEILING)

    def _each(self, node: SelectionNode, parent: GraphQLNamedType, size: int | None) -> int:
        if isinstance(node, FieldNode):
            return self._field(node, parent, size)
        if isinstance(node, InlineFragmentNode):
            condition = node.type_condition
            return self.total(node.selection_set, self._types[condition.name.value] if condition else parent, size)
        return self._spread(cast("FragmentSpreadNode", node).name.value, size)

    def _field(self, node: FieldNode, parent: GraphQLNamedType, size: int | None) -> int:
        if not node.selection_set:
            return 1
        if node.name.value.startswith("__"):
            return INTROSPECTION_COST
        definition = cast("GraphQLObjectType | GraphQLInterfaceType", parent).fields[node.name.value]
        own = self._size_of(node, definition)
        child = get_named_type(definition.type)
        if not _is_list(definition):
            price = HEAVY_COST if node.name.value in HEAVY else 1
            return price + self.total(node.selection_set, child, own)
        entries = next((number for number in (own, size) if number is not None), ASSUMED_LIST)
        return 1 + entries * self.total(node.selection_set, child, None)

    def _spread(self, name: str, size: int | None) -> int:
        if (name, size) not in self._known:
            fragment = self._fragments[name]
            condition = self._types[fragment.type_condition.name.value]
            self._known[name, size] = self.total(fragment.selection_set, condition, size)
        return self._known[name, size]

    def _size_of(self, node: FieldNode, definition: GraphQLField) -> int | None:
        """Return how many entries a field asks for, or None when it takes no argument that says so."""
        declared = [name for name in SIZE_ARGUMENTS if name in definition.args]
        if not declared:
            return None
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        for name in declared:
            value = given.get(name)
            size = self._sizes.get(value.name.value) if isinstance(value, VariableNode) else _literal_size(value)
            if size is not None:
                if name in LIST_ARGUMENTS:
                    return max(size, 1)
                return min(max(size, 1), self._paging.most_of(node.name.value))
        default = _default_size(definition.args[declared[0]])
        return self._paging.default if default is None else default


def size_variables(document: DocumentNode) -> tuple[str, ...]:
    """Return the names of the variables that decide how long a list is, sorted."""
    names: set[str] = set()

    def look(selections: SelectionSetNode | None) -> None:
        for selection in selections.selections if selections else ():
            if isinstance(selection, FieldNode):
                for argument in selection.arguments or ():
                    if argument.name.value in SIZE_ARGUMENTS and isinstance(argument.value, VariableNode):
                        names.add(argument.value.name.value)
            if isinstance(selection, FieldNode | InlineFragmentNode):
                look(selection.selection_set)

    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode | FragmentDefinitionNode):
            look(definition.selection_set)
    return tuple(sorted(names))


def variable_sizes(names: tuple[str, ...], operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> Sizes:
    """Read the sizes that the named variables give, with the operation's own defaults; None where there is none."""
    defaults = {node.variable.name.value: node.default_value for node in operation.variable_definitions or ()}
    return tuple(
        (name, _size(variables[name]) if name in variables else _literal_size(defaults.get(name))) for name in names
    )


def _default_size(argument: GraphQLArgument) -> int | None:
    """Return the size that an argument has when it is left out; the library keeps it in one of three places."""
    declared = argument.default
    if declared is None:
        return _size(argument.default_value)
    return _size(declared.value) if declared.literal is None else _literal_size(declared.literal)


def _literal_size(node: ValueNode | None) -> int | None:
    if isinstance(node, IntValueNode):
        return _size(int(node.value[:12]))
    return len(node.values) if isinstance(node, ListValueNode) else None


def _size(value: object) -> int | None:
    """Return a number as it is and a list's length; None for anything else, which coercion will judge."""
    if isinstance(value, int) and not isinstance(value, bool):
        return min(value, CEILING)
    return len(value) if isinstance(value, list) else None


def _is_list(definition: GraphQLField) -> bool:
    inner: Any = definition.type
    return is_list_type(inner.of_type if is_non_null_type(inner) else inner)
