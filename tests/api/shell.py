"""A small application around a throw-away schema, to test the HTTP shell without a database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any

import httpx
import strawberry
from fastapi import Request
from graphql import GraphQLError

from api.app import create_app
from api.guard import Schema, guards
from api.limits import Limits
from graph.errors import DatabaseUnreachable, RefusalCode, Refused, Unauthenticated

JSON = "application/json"
RESPONSE_JSON = "application/graphql-response+json"
A_KEY = "hg_0123456789abcdef"


@strawberry.enum
class Mood(Enum):
    """To return a value that it does not have."""

    CALM = "calm"


@strawberry.type
class Row:
    """A row that can be nested without end, and be listed."""

    @strawberry.field
    def id(self) -> strawberry.ID:
        """Return the same id for every row."""
        return strawberry.ID("0")

    @strawberry.field
    def row(self) -> "Row":
        """Return the next row."""
        return Row()

    @strawberry.field
    def rows(self, first: int = 20) -> "RowConnection":
        """Return a page of rows."""
        return RowConnection(edges=[RowEdge(node=Row()) for _ in range(min(first, 3))])


@strawberry.type
class RowEdge:
    """An edge."""

    node: Row


@strawberry.type
class RowConnection:
    """A page."""

    edges: list[RowEdge]


@strawberry.type
class Query(Row):
    """Fields that answer, and fields that fail in each way that there is."""

    @strawberry.field
    def echo(self, text: str, times: int = 1) -> str:
        """Return the text."""
        return text * times

    @strawberry.field
    def strict(self, number: int = 1) -> int:
        """Return a number that may be left out but not be null."""
        return number

    @strawberry.field
    def defect(self, secret: str = "") -> str | None:
        """Fail as a program does that is wrong."""
        raise KeyError(f"no such thing as {secret or A_KEY}")

    @strawberry.field
    def essential(self) -> str:
        """Fail where null is not allowed."""
        raise ZeroDivisionError

    @strawberry.field
    def mood(self) -> Mood | None:
        """Return what the type does not allow."""
        return "furious"  # type: ignore[return-value]

    @strawberry.field
    def uncoded(self) -> str | None:
        """Fail with the library's own error, without a code."""
        raise GraphQLError("row 7 of table secrets")

    @strawberry.field
    def coded(self) -> str | None:
        """Fail with the library's own error, with a code."""
        raise GraphQLError("The tide is out.", extensions={"code": "TIDE"})

    @strawberry.field
    def refused(self) -> str | None:
        """Refuse."""
        message = "There is no @bee: did you mean @bea?"
        raise Refused(RefusalCode.UNKNOWN_ADDRESS, message, field="to", candidates=("@bea",), retryable=True)

    @strawberry.field
    def database(self) -> str | None:
        """Fail as the database may."""
        raise DatabaseUnreachable("Nothing answers at bolt://127.0.0.1:7687.")

    @strawberry.field
    async def slow(self) -> str:
        """Never return."""
        await asyncio.Event().wait()
        return ""

    @strawberry.field
    def caller(self, info: strawberry.Info[dict[str, Any], None]) -> str:
        """Return what the context holds, and set a header."""
        info.context["response"].headers["x-from-field"] = "yes"
        return str(info.context["caller"])


@strawberry.type
class Mutation:
    """One mutation, to see who may run it."""

    @strawberry.mutation
    def touch(self) -> bool:
        """Answer."""
        return True


async def context(request: Request) -> dict[str, Any]:
    """Return a context, or refuse by what the Authorization header says."""
    match request.headers.get("authorization"):
        case "Bearer wrong":
            raise Unauthenticated("This key is not known here: make one with `heliograph key create`.")
        case "Bearer down":
            raise DatabaseUnreachable("Nothing answers at bolt://127.0.0.1:7687.")
        case "Bearer broken":
            raise RuntimeError(A_KEY)
    return {"caller": "@ada"}


@asynccontextmanager
async def shell(limits: Limits | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the application with these limits."""
    limits = limits or Limits()
    schema = Schema(query=Query, mutation=Mutation, extensions=guards(limits))
    app = create_app(schema, context, limits=limits)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shell") as client:
        yield client


async def ask(
    client: httpx.AsyncClient, query: str, accept: str = RESPONSE_JSON, **parameters: object
) -> httpx.Response:
    """Send one GraphQL request as POST."""
    return await client.post("/graphql", json={"query": query, **parameters}, headers={"accept": accept})


def only_error(response: httpx.Response) -> dict[str, Any]:
    """Return the one error of a response."""
    errors = response.json()["errors"]
    assert len(errors) == 1, errors
    return dict(errors[0])
