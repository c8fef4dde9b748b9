"""What a client is told of an error, and what the log is."""

import logging
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from tests.api.shell import A_KEY, JSON, ask, only_error, shell


@pytest_asyncio.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the shell."""
    async with shell() as made:
        yield made


async def test_a_defect_is_masked_and_logged_under_its_trace_id(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    query = "query ($s: String!) { fine: id defect(secret: $s) }"
    response = await ask(client, query, variables={"s": f"{A_KEY}-variable"})
    error, trace_id = only_error(response), response.headers["x-request-id"]
    assert response.status_code == 200
    assert response.json()["data"] == {"fine": "0", "defect": None}
    assert error["message"] == f"Something went wrong inside the server (trace {trace_id})."
    assert error["extensions"] == {"code": "INTERNAL", "traceId": trace_id}
    assert error["path"] == ["defect"]
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert f"Trace {trace_id}, at defect:" in record.getMessage()
    assert "KeyError" in record.getMessage()
    assert "in defect" in record.getMessage()
    assert A_KEY not in caplog.text
    assert query not in caplog.text


@pytest.mark.parametrize("field", ["mood", "uncoded"])
async def test_what_no_client_can_have_caused_is_masked_too(client: httpx.AsyncClient, field: str) -> None:
    response = await ask(client, f"{{ {field} }}")
    assert only_error(response)["extensions"]["code"] == "INTERNAL"
    assert "secrets" not in response.text
    assert "furious" not in response.text


async def test_data_is_null_where_a_defect_reaches_the_root(client: httpx.AsyncClient) -> None:
    response = await ask(client, "{ essential }")
    assert response.status_code == 200
    assert response.json()["data"] is None
    assert only_error(response)["extensions"]["code"] == "INTERNAL"


async def test_many_defects_of_one_response_do_not_flood_the_log(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    fields = " ".join(f"d{n}: defect" for n in range(20))
    response = await ask(client, f"{{ {fields} }}")
    assert len(response.json()["errors"]) == 20
    assert len(caplog.records) == 6
    assert caplog.records[-1].getMessage().startswith("15 more errors")


async def test_a_refusal_tells_all_it_knows(client: httpx.AsyncClient) -> None:
    error = only_error(await ask(client, "{ refused }"))
    assert error["message"] == "There is no @bee: did you mean @bea?"
    assert error["extensions"] == {
        "code": "UNKNOWN_ADDRESS",
        "field": "to",
        "rule": None,
        "candidates": ["@bea"],
        "retryable": True,
    }


async def test_an_error_of_the_tree_keeps_message_and_code(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    response = await ask(client, "{ database }")
    error, trace_id = only_error(response), response.headers["x-request-id"]
    assert error["message"] == "Nothing answers at bolt://127.0.0.1:7687."
    assert error["extensions"] == {"code": "DATABASE_UNREACHABLE", "traceId": trace_id}
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


async def test_an_error_with_a_code_of_its_own_is_shown(client: httpx.AsyncClient) -> None:
    error = only_error(await ask(client, "{ coded }"))
    assert (error["message"], error["extensions"]) == ("The tide is out.", {"code": "TIDE"})


async def test_a_wrong_key_is_401(client: httpx.AsyncClient) -> None:
    response = await client.post("/graphql", json={"query": "{ id }"}, headers={"authorization": "Bearer wrong"})
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert only_error(response)["extensions"] == {"code": "UNAUTHENTICATED"}


async def test_a_context_that_the_database_denies_is_503(client: httpx.AsyncClient) -> None:
    response = await client.post("/graphql", json={"query": "{ id }"}, headers={"authorization": "Bearer down"})
    assert response.status_code == 503
    assert only_error(response)["extensions"]["code"] == "DATABASE_UNREACHABLE"


async def test_a_defect_outside_the_query_is_masked_as_500(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    response = await client.post("/graphql", json={"query": "{ id }"}, headers={"authorization": "Bearer broken"})
    trace_id = response.headers["x-request-id"]
    assert response.status_code == 500
    assert response.headers["content-type"] == JSON
    assert only_error(response)["extensions"] == {"code": "INTERNAL", "traceId": trace_id}
    assert trace_id in caplog.text
    assert A_KEY not in caplog.text + response.text


@pytest.mark.parametrize(
    ("offered", "taken"),
    [("0123abcd-trace", True), ("short", False), ("x" * 65, False), ("line break", False), ("<script>xx", False)],
)
async def test_a_client_may_choose_a_readable_trace_id(client: httpx.AsyncClient, offered: str, taken: bool) -> None:
    response = await client.get("/healthz", headers={"x-request-id": offered})
    assert (response.headers["x-request-id"] == offered) is taken


async def test_every_answer_has_the_security_headers(client: httpx.AsyncClient) -> None:
    for response in (await ask(client, "{ id }"), await client.get("/nowhere"), await client.get("/healthz")):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-frame-options"] == "DENY"
