"""What stands between a query and its execution: one cache of checked documents, and the limits.

One cache does the work of a parser cache and a validation cache: it is looked up once, by the query text, while a
cache of validation results alone has to hash the whole syntax tree again for each request. The cost depends on the
variables too, so it is remembered per document and per sizes that its variables give.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import strawberry
from graphql import DocumentNode, GraphQLError, GraphQLSchema, GraphQLSyntaxError, parse
from strawberry.extensions import SchemaExtension
from strawberry.schema.schema import validate_document
from strawberry.types import ExecutionContext

from api.cost import MAX_NESTING, Paging, Sizes, cost_of, operations_of, shape_of, size_variables, variable_sizes
from api.limits import Limits, limit_exceeded

# A syntax tree takes a hundred times the room of its text, so only texts of a usual size are kept.
CACHED_DOCUMENTS = 128
CACHED_CHARACTERS = 8192

_TOO_MANY = re.compile(r"Document contains more than \d+ (tokens|comments)")
_TOO_DEEP = re.compile(r"Document is nested too deeply")


class Schema(strawberry.Schema):
    """A schema that leaves the reporting of errors to ``api.errors``.

    Strawberry would log each one with the text of the query, which may hold what a message says.
    """

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Do nothing: the router logs what is a defect."""


class Checked:
    """One document with all that is known of it before its variables are."""

    def __init__(self, document: DocumentNode, limits: Limits) -> None:
        self.document = document
        self._limits = limits
        self._errors: list[GraphQLError] | None = None
        self._operations = {node.name.value if node.name else None: node for node in operations_of(document)}
        self._size_variables = size_variables(document)
        self._cost = lru_cache(maxsize=32)(self._count_cost)

    def errors(self, context: ExecutionContext) -> list[GraphQLError]:
        """Return why this document must not run at all, empty if it may. Found once, then remembered."""
        if self._errors is None:
            rules = context.validation_rules
            self._errors = self._oversized() or validate_document(_core(context), self.document, rules)
        return self._errors

    def refusals(self, context: ExecutionContext) -> list[GraphQLError]:
        """Return why it must not run as asked now, with this operation name and these variables."""
        # Strawberry would run the first of several; the name that was asked for is not public otherwise.
        if len(self._operations) > 1 and context._provided_operation_name is None:  # noqa: SLF001
            names = ", ".join(name for name in self._operations if name)
            return [GraphQLError(f"The document holds several operations: set operationName to one of {names}.")]
        name = context.operation_name
        sizes = variable_sizes(self._size_variables, self._operations[name], context.variables or {})
        cost, allowed = self._cost(_core(context), name, sizes), self._limits.max_cost
        if cost <= allowed:
            return []
        message = (
            f"The query costs {cost}, and {allowed} is allowed: ask for fewer rows, fewer fields, "
            "or fewer lists within lists."
        )
        return [limit_exceeded("maxCost", allowed, cost, message)]

    def _count_cost(self, schema: GraphQLSchema, name: str | None, sizes: Sizes) -> int:
        paging = Paging(
            default=self._limits.first_default, most=self._limits.first_max, changes=self._limits.changes_max
        )
        return cost_of(schema, self.document, self._operations[name], dict(sizes), paging)

    def _oversized(self) -> list[GraphQLError]:
        shape, limits = shape_of(self.document), self._limits
        errors = []
        if shape.depth > limits.max_depth:
            errors.append(_too_deep(limits, shape.depth))
        if shape.aliases > limits.max_aliases:
            message = (
                f"The query has {shape.aliases} aliases and repeated fields, and {limits.max_aliases} are allowed: "
                "split it into several requests."
            )
            errors.append(limit_exceeded("maxAliases", limits.max_aliases, shape.aliases, message))
        return errors


class Guard(SchemaExtension):
    """Parses, validates and measures each query, with the cache that ``guards`` made for the schema."""

    def __init__(self, lookup: Callable[[str], Checked]) -> None:
        self._lookup = lookup
        self._checked: Checked | None = None

    def on_parse(self) -> Iterator[None]:
        """Take the document from the cache, or parse it. Raises GraphQLError when it cannot be parsed."""
        context = self.execution_context
        if context.query:
            self._checked = self._lookup(context.query)
            context.graphql_document = self._checked.document
        yield

    def on_validate(self) -> Iterator[None]:
        """Set what is wrong with the request, so that nothing of it runs."""
        context = self.execution_context
        if self._checked is not None:
            context.pre_execution_errors = self._checked.errors(context) or self._checked.refusals(context)
        yield


def guards(limits: Limits) -> list[Callable[[], SchemaExtension]]:
    """Return the extensions that every schema served here needs, with a cache of their own."""

    def check(query: str) -> Checked:
        return Checked(_parsed(query, limits), limits)

    cached = lru_cache(maxsize=CACHED_DOCUMENTS)(check)

    def lookup(query: str) -> Checked:
        return cached(query) if len(query) <= CACHED_CHARACTERS else check(query)

    return [lambda: Guard(lookup)]


def _core(context: ExecutionContext) -> GraphQLSchema:
    """Return the library's own schema, which Strawberry keeps for its extensions under a private name."""
    return context.schema._schema  # noqa: SLF001


def _parsed(query: str, limits: Limits) -> DocumentNode:
    """Parse a query, naming the limit where the parser gave up at one. Raises GraphQLError."""
    allowed = limits.max_tokens
    options: dict[str, Any] = {"max_lexical_tokens": allowed, "max_comments": allowed}
    try:
        return parse(query, **options)
    except GraphQLSyntaxError as error:
        if found := _TOO_MANY.search(error.message):
            message = f"The query has more than {allowed} {found[1]}: send long texts and lists as variables."
            raise limit_exceeded("maxTokens", allowed, allowed + 1, message) from None
        if _TOO_DEEP.search(error.message):
            raise _too_deep(limits, MAX_NESTING + 1) from None
        raise


def _too_deep(limits: Limits, found: int) -> GraphQLError:
    message = (
        f"The query is {found} levels deep, and {limits.max_depth} are allowed: split it into several requests, "
        "each starting from an id that an earlier one returned."
    )
    return limit_exceeded("maxDepth", limits.max_depth, found, message)
