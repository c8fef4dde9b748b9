"""GraphQL over HTTP: the router that speaks the specification of that name.

Strawberry's router knows one media type and answers every well-formed request with 200. This one answers in
``application/graphql-response+json`` where the client names it, and then says with the status whether the request
was executed; refuses malformed requests with a JSON body; masks defects; and stops what takes too long.
"""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from cross_web import AsyncHTTPRequestAdapter
from fastapi import Request, Response, WebSocket
from graphql import GraphQLError
from strawberry.exceptions import MissingQueryError
from strawberry.fastapi import GraphQLRouter
from strawberry.http import GraphQLRequestData
from strawberry.schema.base import BaseSchema
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.execution import PreExecutionError
from strawberry.types.graphql import OperationType
from strawberry.types.unset import UNSET

from api.errors import INTERNAL, VALIDATION_FAILED, HttpError, present
from api.limits import Limits, limit_exceeded
from api.request import RESPONSE_JSON, bad_request, check_content_type, decoded, negotiated, request_data

_GET_RUNS = frozenset({OperationType.QUERY})
_POST_RUNS = frozenset({OperationType.QUERY, OperationType.MUTATION})


class GraphQLOverHttp(GraphQLRouter[Any, None]):
    """The ``/graphql`` endpoint for any schema; see ``graphql_router``."""

    def __init__(self, schema: BaseSchema, context_getter: Callable[..., Any], limits: Limits, path: str) -> None:
        super().__init__(schema, path=path, graphql_ide=None, context_getter=context_getter, subscription_protocols=())
        self._timeout = limits.request_timeout_seconds

    async def run(self, request: Request | WebSocket, context: object = UNSET, root_value: None = None) -> Any:  # noqa: ANN401 - as overridden
        """Answer one request. Raises HttpError for what is not a GraphQL request at all."""
        if not isinstance(request, Request):
            return await super().run(request, context=context, root_value=root_value)
        media_type = negotiated(request.headers.get("accept", ""))
        asked = await self.parse_http_body(self.request_adapter_class(request))
        result = await self._executed(request, asked, context)
        return self._respond(result, media_type, await self.get_sub_response(request))

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        """Read the request's parameters. Raises HttpError naming the one that is missing or of the wrong type."""
        if request.method == "GET":
            parameters: Any = dict(request.query_params)
            for name in ("variables", "extensions"):
                text = parameters.get(name)
                parameters[name] = decoded(text, f"The query parameter {name}") if text else None
        else:
            check_content_type(request.content_type or "")
            parameters = decoded(await request.get_body(), "The request body")
        return request_data(parameters)

    async def _executed(self, request: Request, asked: GraphQLRequestData, context: object) -> ExecutionResult:
        """Run the operation within the time allowed."""
        timeout = asyncio.timeout(self._timeout)
        try:
            async with timeout:
                return await self.schema.execute(
                    asked.query,
                    variable_values=asked.variables,
                    context_value=context,
                    operation_name=asked.operation_name,
                    allowed_operation_types=_GET_RUNS if request.method == "GET" else _POST_RUNS,
                    operation_extensions=asked.extensions,
                )
        except TimeoutError:
            if not timeout.expired():
                raise
            message = (
                f"The request took longer than {self._timeout:g} seconds and was stopped. What it was to write may or "
                "may not be written: read it back, or send it again with the same idempotencyKey."
            )
            error = limit_exceeded("requestTimeoutSeconds", self._timeout, self._timeout, message)
            return PreExecutionError(data=None, errors=[error])
        except CannotGetOperationTypeError as error:
            named = f"no operation named {error.operation_name!r}" if error.operation_name else "no operation"
            unknown = GraphQLError(f"The document holds {named}.", extensions={"code": VALIDATION_FAILED})
            return PreExecutionError(data=None, errors=[unknown])
        except InvalidOperationTypeError as error:
            raise _wrong_method(error.operation_type) from None
        except MissingQueryError:
            raise bad_request("The parameter query is empty: it must hold a GraphQL document.") from None

    def _respond(self, result: ExecutionResult, media_type: str, sub_response: Response) -> Response:
        """Encode a result. Only a request that was executed has ``data``."""
        body: dict[str, Any] = {}
        status = HTTPStatus.OK
        executed = not isinstance(result, PreExecutionError)
        if result.errors:
            body["errors"] = present(result.errors, executed=executed)
            # Variables are coerced by the executor, which then reports errors that belong to no field.
            executed = executed and (result.data is not None or any(error.path for error in result.errors))
        if executed:
            body["data"] = result.data
        elif media_type == RESPONSE_JSON:
            status = _status_of(body["errors"])
        if result.extensions:
            body["extensions"] = result.extensions
        response = Response(
            self.encode_json(body),
            status_code=sub_response.status_code or status,
            headers={"content-type": f"{media_type}; charset=utf-8", "cache-control": "no-store"},
        )
        response.headers.raw.extend(sub_response.headers.raw)
        return response


def graphql_router(
    schema: BaseSchema, context_getter: Callable[..., Any], *, limits: Limits, path: str = "/graphql"
) -> GraphQLOverHttp:
    """Return the router that serves a schema at ``path``.

    ``context_getter`` is a FastAPI dependency that returns the context of one request; a HeliographError that it
    raises refuses the request. The schema should have the extensions of ``api.guard.guards``.
    """
    return GraphQLOverHttp(schema, context_getter, limits, path)


def _status_of(errors: list[dict[str, Any]]) -> HTTPStatus:
    """Return the status of a request that was not executed: whose fault it was, and whether trying again may help."""
    extensions = errors[0]["extensions"]
    if extensions.get("limit") == "requestTimeoutSeconds":
        return HTTPStatus.SERVICE_UNAVAILABLE
    return HTTPStatus.INTERNAL_SERVER_ERROR if extensions["code"] == INTERNAL else HTTPStatus.BAD_REQUEST


def _wrong_method(operation: OperationType) -> HttpError:
    if operation is OperationType.SUBSCRIPTION:
        return bad_request("Subscriptions are not served over this request; only queries and mutations are.")
    return HttpError(
        HTTPStatus.METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        "A GET request runs queries only: send a mutation as POST.",
        headers={"allow": "POST"},
    )
