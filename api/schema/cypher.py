"""Cypher of an analyst's own in the API: a gate, and rows as JSON behind it (docs/analysts-cypher.md)."""

from enum import StrEnum
from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from api.context import Info
from api.schema.nodes import NOTICE
from graph.cypher_session import CypherRows


@strawberry.enum(description="Which limit cut an answer.")
class CypherCut(StrEnum):
    """Which limit cut an answer."""

    ROWS = "ROWS"
    BYTES = "BYTES"


@strawberry.type(description="What a query of your own answered.")
class CypherResult:
    """Rows."""

    columns: list[str]
    rows: list[JSON] = strawberry.field(
        description="Each a list with a value for each column. What JSON does not have is an object with '$type'."
    )
    row_count: int = strawberry.field(description="How many rows are here.")
    byte_count: int = strawberry.field(description="How many bytes the database sent for them.")
    truncated: bool = strawberry.field(description="Whether there are more than the limits let through.")
    truncated_by: CypherCut | None = strawberry.field(description="`cypherRows` or `cypherBytes`; null for neither.")

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE

    @classmethod
    def of(cls, found: CypherRows) -> "CypherResult":
        """Return the data of an answer."""
        return cls(
            columns=found.columns,
            rows=[JSON(row) for row in found.rows],
            row_count=len(found.rows),
            byte_count=found.bytes,
            truncated=found.truncated is not None,
            truncated_by=None if found.truncated is None else CypherCut(found.truncated.upper()),
        )


@strawberry.type
class CypherQuery:
    """Queries in the database's own language."""

    @strawberry.field(
        description="Runs one reading query of your own, for keys of scope analyst, where the operator turned it on. "
        "Judged by its text and its plan before it runs, bounded, and logged with its text."
    )
    async def cypher(
        self,
        info: Info,
        query: str,
        parameters: Annotated[
            JSON | None, strawberry.argument(description="An object: the values of `$name` in the query.")
        ] = None,
    ) -> CypherResult:
        """Return rows."""
        caller = info.context.identification.required()
        return CypherResult.of(await info.context.runtime.cypher.run(caller, query, parameters))
