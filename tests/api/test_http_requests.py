"""What the endpoint accepts, in which form it answers, and how it refuses what is malformed."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.api.shell import JSON, RESPONSE_JSON, ask, only_error, shell


@pytest_asyncio.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the shell."""
    async with shell() as made:
        yield made


@pytest.mark.parametrize(
    ("accept", "answered"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        (RESPONSE_JSON, RESPONSE_JSON),
        (f"{RESPONSE_JSON}, {JSON};q=0.9", RESPONSE_JSON),
        (f"{JSON}, {RESPONSE_JSON}", RESPONSE_JSON),
        (f"{JSON}, {RESPONSE_JSON};q=0.5", JSON),
        (f"{JSON}, {RESPONSE_JSON};q=0", JSON),
        (f"{RESPONSE_JSON};q=nonsense", RESPONSE_JSON),
        ("text/html, */*;q=0.8", JSON),
    ],
)
async def test_answers_in_the_media_type_that_accept_prefers(
    client: httpx.AsyncClient, accept: str, answered: str
) -> None:
    response = await ask(client, '{ echo(text: "ä") }', accept=accept)
    assert response.status_code == 200
    assert response.headers["content-type"] == f"{answered}; charset=utf-8"
    assert response.json() == {"data": {"echo": "ä"}}


@pytest.mark.parametrize("accept", ["text/html", "image/png, text/*", f"{JSON};q=0"])
async def test_refuses_to_answer_in_another_form(client: httpx.AsyncClient, accept: str) -> None:
    response = await ask(client, "{ id }", accept=accept)
    assert response.status_code == 406
    assert only_error(response)["extensions"] == {"code": "NOT_ACCEPTABLE"}


REQUEST_ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("{", {}, "GRAPHQL_PARSE_FAILED"),
    ("{ nosuch }", {}, "GRAPHQL_VALIDATION_FAILED"),
    ('{ echo(text: "a", times: "b") }', {}, "GRAPHQL_VALIDATION_FAILED"),
    ("query ($t: String!) { echo(text: $t) }", {"variables": {"t": 7}}, "BAD_USER_INPUT"),
    ("query ($t: String!) { echo(text: $t) }", {}, "BAD_USER_INPUT"),
    ("query A { id } query B { id }", {}, "GRAPHQL_VALIDATION_FAILED"),
    ("query A { id }", {"operationName": "B"}, "GRAPHQL_VALIDATION_FAILED"),
    ("fragment F on Query { id }", {}, "GRAPHQL_VALIDATION_FAILED"),
    ("{ ...F } fragment F on Query { ...F }", {}, "GRAPHQL_VALIDATION_FAILED"),
    ("subscription { id }", {}, "BAD_REQUEST"),
]


@pytest.mark.parametrize(("query", "parameters", "code"), REQUEST_ERRORS)
async def test_a_request_error_is_400_without_data(
    client: httpx.AsyncClient, query: str, parameters: dict[str, Any], code: str
) -> None:
    response = await ask(client, query, **parameters)
    assert response.status_code == 400
    assert "data" not in response.json()
    assert only_error(response)["extensions"]["code"] == code


@pytest.mark.parametrize(("query", "parameters", "code"), REQUEST_ERRORS[:-1])
async def test_a_request_error_is_200_in_the_older_media_type(
    client: httpx.AsyncClient, query: str, parameters: dict[str, Any], code: str
) -> None:
    response = await ask(client, query, accept=JSON, **parameters)
    assert response.status_code == 200
    assert "data" not in response.json()
    assert only_error(response)["extensions"]["code"] == code


async def test_a_null_variable_for_what_may_not_be_null_is_the_callers_mistake(client: httpx.AsyncClient) -> None:
    response = await ask(client, "query ($n: Int = 1) { strict(number: $n) }", variables={"n": None})
    assert response.json()["data"] is None
    assert only_error(response)["extensions"]["code"] == "BAD_USER_INPUT"


async def test_of_several_operations_the_named_one_runs(client: httpx.AsyncClient) -> None:
    response = await ask(client, "query A { a: id } query B { b: id }", operationName="B")
    assert response.json() == {"data": {"b": "0"}}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "is not JSON"),
        (b'{"query": "{ id }",', "line 1, column 20"),
        (b"not json", "is not JSON"),
        (b"\xff\xfe{}", "is not UTF-8"),
        ('{"query": "{ id }"}'.encode("utf-16"), "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"query": "{ id }", "variables": {"x": NaN}}', "a number in it cannot be read"),
        (b'{"query": "{ id }", "variables": {"x": ' + b"9" * 5000 + b"}}", "a number in it cannot be read"),
        (b'[{"query": "{ id }"}]', "one each"),
        (b'"{ id }"', "must be a JSON object"),
        (b"{}", "query is missing"),
        (b'{"query": ""}', "query is empty"),
        (b'{"query": 7}', "of type int"),
        (b'{"query": "{ id }", "operationName": 7}', "operationName must be"),
        (b'{"query": "{ id }", "variables": []}', "variables must be"),
        (b'{"query": "{ id }", "variables": 0}', "variables must be"),
        (b'{"query": "{ id }", "extensions": "x"}', "extensions must be"),
    ],
)
@pytest.mark.parametrize("accept", [JSON, RESPONSE_JSON])
async def test_a_malformed_body_is_a_clear_400(client: httpx.AsyncClient, body: bytes, says: str, accept: str) -> None:
    response = await client.post("/graphql", content=body, headers={"content-type": JSON, "accept": accept})
    assert response.status_code == 400
    error = only_error(response)
    assert says in error["message"]
    assert error["extensions"] == {"code": "BAD_REQUEST"}


@pytest.mark.parametrize(
    "content_type",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "application/jsonp"],
)
async def test_a_body_that_is_not_called_json_is_415(client: httpx.AsyncClient, content_type: str | None) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    response = await client.post("/graphql", content=b'{"query": "{ id }"}', headers=headers)
    assert response.status_code == 415
    assert only_error(response)["extensions"] == {"code": "UNSUPPORTED_MEDIA_TYPE"}


@pytest.mark.parametrize("content_type", ["Application/JSON", 'application/json; charset="UTF-8"'])
async def test_json_may_be_spelt_as_the_standards_allow(client: httpx.AsyncClient, content_type: str) -> None:
    response = await client.post(
        "/graphql", content=b'{"query": "{ id }"}', headers={"content-type": content_type, "accept": JSON}
    )
    assert response.json() == {"data": {"id": "0"}}


async def test_get_runs_queries_with_variables(client: httpx.AsyncClient) -> None:
    query = "query Q($t: String!) { echo(text: $t) }"
    asked = {"query": query, "variables": '{"t": "x"}', "operationName": "Q", "extensions": ""}
    response = await client.get("/graphql", params=asked)
    assert response.json() == {"data": {"echo": "x"}}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "query is missing"),
        ({"query": "{ id }", "variables": "{"}, "The query parameter variables is not JSON"),
        ({"query": "{ id }", "variables": "[1]"}, "variables must be an object"),
    ],
)
async def test_a_malformed_get_is_a_clear_400(client: httpx.AsyncClient, params: dict[str, str], says: str) -> None:
    response = await client.get("/graphql", params=params)
    assert response.status_code == 400
    assert says in only_error(response)["message"]


async def test_get_runs_no_mutation(client: httpx.AsyncClient) -> None:
    response = await client.get("/graphql", params={"query": "mutation { touch }"})
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert only_error(response)["extensions"] == {"code": "METHOD_NOT_ALLOWED"}
    posted = await ask(client, "mutation { touch }")
    assert posted.json() == {"data": {"touch": True}}


async def test_other_methods_and_paths_are_refused_in_the_same_form(client: httpx.AsyncClient) -> None:
    deleted = await client.delete("/graphql")
    assert deleted.status_code == 405
    assert deleted.headers["allow"] == "GET, POST"
    assert only_error(deleted)["extensions"] == {"code": "METHOD_NOT_ALLOWED"}
    missing = await client.get("/nowhere")
    assert missing.status_code == 404
    assert only_error(missing)["extensions"] == {"code": "NOT_FOUND"}


async def test_a_field_may_set_headers_and_see_the_context(client: httpx.AsyncClient) -> None:
    response = await ask(client, "{ caller }")
    assert response.json() == {"data": {"caller": "@ada"}}
    assert response.headers["x-from-field"] == "yes"
    assert response.headers["cache-control"] == "no-store"


async def test_liveness_needs_nothing(client: httpx.AsyncClient) -> None:
    response = await client.get("/healthz", headers={"authorization": "Bearer wrong"})
    assert (response.status_code, response.text) == (200, "ok\n")


async def test_the_same_query_is_answered_from_the_cache_as_before(client: httpx.AsyncClient) -> None:
    query = "query ($t: String!) { echo(text: $t) }"
    for text in ("a", "b", "a"):
        assert (await ask(client, query, variables={"t": text})).json() == {"data": {"echo": text}}
    for _ in range(2):
        assert only_error(await ask(client, "{ nosuch }"))["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


async def test_a_lone_surrogate_comes_back_as_it_came(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/graphql",
        content=b'{"query": "query ($t: String!) { echo(text: $t) }", "variables": {"t": "\\ud800"}}',
        headers={"content-type": JSON},
    )
    assert response.content == b'{"data":{"echo":"\\ud800"}}'
