"""Every limit of the HTTP shell: what is within passes, what is beyond is refused by the limit's name."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from graphql import get_introspection_query

from api.limits import Limits
from tests.api.shell import JSON, RESPONSE_JSON, ask, only_error, shell


def exceeded(response: httpx.Response) -> tuple[str, Any, Any]:
    """Return limit, allowed and found of a response that refuses for one limit."""
    extensions = only_error(response)["extensions"]
    assert extensions["code"] == "LIMIT_EXCEEDED"
    assert "data" not in response.json()
    return extensions["limit"], extensions["allowed"], extensions["found"]


def nested(depth: int) -> str:
    """Return a query of that depth, the innermost field counted."""
    return "{" + "row{" * (depth - 1) + "id" + "}" * depth


async def test_depth() -> None:
    async with shell() as client:
        assert (await ask(client, nested(15))).status_code == 200
        response = await ask(client, nested(16))
        assert response.status_code == 400
        assert exceeded(response) == ("maxDepth", 15, 16)
        assert "split it" in only_error(response)["message"]


@pytest.mark.parametrize("accept", [JSON, RESPONSE_JSON])
async def test_a_query_nested_50_deep_is_refused(accept: str) -> None:
    async with shell() as client:
        response = await ask(client, nested(50), accept=accept)
        assert exceeded(response) == ("maxDepth", 15, 50)
        assert response.status_code == (200 if accept == JSON else 400)


async def test_depth_that_the_parser_gives_up_at_is_called_depth_too() -> None:
    async with shell() as client:
        assert exceeded(await ask(client, nested(400))) == ("maxDepth", 15, 201)


async def test_depth_counts_through_fragments() -> None:
    chain = " ".join(f"fragment F{n} on Row {{ row {{ ...F{n + 1} }} }}" for n in range(19))
    async with shell() as client:
        response = await ask(client, f"{{ row {{ ...F0 }} }} {chain} fragment F19 on Row {{ id }}")
        assert exceeded(response) == ("maxDepth", 15, 21)


async def test_aliases() -> None:
    def query(count: int) -> str:
        return "{" + " ".join(f"a{n}: id" for n in range(count)) + "}"

    async with shell() as client:
        assert (await ask(client, query(30))).status_code == 200
        assert exceeded(await ask(client, query(31))) == ("maxAliases", 30, 31)


async def test_repeated_fields_count_as_aliases() -> None:
    async with shell() as client:
        assert exceeded(await ask(client, "{" + "id " * 900 + "}")) == ("maxAliases", 30, 899)


async def test_aliases_multiplied_by_fragments_are_counted_in_no_time() -> None:
    doubling = " ".join(f"fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in range(150))
    async with shell() as client:
        response = await ask(client, f"{{ ...F0 }} {doubling} fragment F150 on Query {{ a: id }}")
        assert exceeded(response) == ("maxAliases", 30, 1_000_000_000)


async def test_a_cycle_of_fragments_is_refused_by_validation() -> None:
    async with shell() as client:
        response = await ask(client, "{ ...A } fragment A on Query { row { ...B } } fragment B on Row { row { ...B } }")
        assert response.status_code == 400
        assert only_error(response)["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize(("padding", "what"), [("id ", "tokens"), ("#\n", "comments")])
async def test_tokens(padding: str, what: str) -> None:
    async with shell() as client:
        response = await ask(client, "{ id " + padding * 2001 + "}")
        assert exceeded(response) == ("maxTokens", 2000, 2001)
        assert f"more than 2000 {what}" in only_error(response)["message"]


def page(variable: str = "$n", kind: str = "Int") -> str:
    """Return a query of rows within rows, the outer page of the size that the variable gives."""
    declared = f"query ($n: {kind}) " if "$" in variable else ""
    inner = "rows(first: 20) { edges { node { id } } }"
    return f"{declared}{{ rows(first: {variable}) {{ edges {{ node {{ {inner} }} }} }} }}"


async def test_cost_is_that_of_the_variables() -> None:
    # One row of the outer page costs 1 for its node, 2 for the inner connection and its edges, and 20 times 2.
    async with shell(Limits(max_cost=1000)) as client:
        assert (await ask(client, page(), variables={"n": 23})).status_code == 200
        assert exceeded(await ask(client, page(), variables={"n": 24})) == ("maxCost", 1000, 2 + 24 * 43)
        assert (await ask(client, page(), variables={"n": 23})).status_code == 200
        assert exceeded(await ask(client, page("24"))) == ("maxCost", 1000, 2 + 24 * 43)


async def test_cost_of_a_page_whose_size_is_left_out_is_that_of_the_default() -> None:
    async with shell(Limits(max_cost=800)) as client:
        for variables in ({}, {"n": None}):
            assert exceeded(await ask(client, page(), variables=variables)) == ("maxCost", 800, 2 + 20 * 43)
        assert exceeded(await ask(client, page(kind="Int = 30")))[2] == 2 + 30 * 43


async def test_cost_leaves_a_size_out_of_range_to_the_field() -> None:
    async with shell(Limits(max_cost=5000)) as client:
        assert (await ask(client, page(), variables={"n": 1_000_000_000})).status_code == 200


async def test_the_standard_introspection_query_passes() -> None:
    query = get_introspection_query(input_value_deprecation=True, specified_by_url=True, schema_description=True)
    async with shell() as client:
        response = await ask(client, query)
        assert response.status_code == 200
        assert "errors" not in response.json()


async def test_introspection_may_not_be_asked_for_again_and_again() -> None:
    aliases = " ".join(f"s{n}: __schema {{ types {{ name }} }}" for n in range(11))
    async with shell() as client:
        assert exceeded(await ask(client, f"{{ {aliases} }}")) == ("maxCost", 10_000, 11_000)


async def test_request_size_that_is_announced() -> None:
    async with shell(Limits(max_request_bytes=1000)) as client:
        response = await ask(client, "{ id }", extensions={"x": "y" * 1000})
        assert response.status_code == 413
        limit, allowed, found = exceeded(response)
        assert (limit, allowed) == ("maxRequestBytes", 1000)
        assert found > 1000
        assert "x-request-id" in response.headers
        assert (await ask(client, "{ id }", extensions={"x": "y" * 800})).status_code == 200


async def test_request_size_that_is_not_announced() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 300

    async with shell(Limits(max_request_bytes=1000)) as client:
        response = await client.post("/graphql", content=endless(), headers={"content-type": JSON})
        assert response.status_code == 413
        assert exceeded(response) == ("maxRequestBytes", 1000, 1200)
    assert sent < 10


@pytest.mark.parametrize(("accept", "status"), [(JSON, 200), (RESPONSE_JSON, 503)])
async def test_a_request_that_takes_too_long_is_stopped(accept: str, status: int) -> None:
    async with shell(Limits(request_timeout_seconds=0.01)) as client:
        async with asyncio.timeout(20):
            response = await ask(client, "{ id slow }", accept=accept)
        assert response.status_code == status
        assert exceeded(response) == ("requestTimeoutSeconds", 0.01, 0.01)
        assert "idempotencyKey" in only_error(response)["message"]
