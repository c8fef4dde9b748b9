"""The web application, composed: GraphQL and its explorer at ``/graphql``, liveness at ``/healthz``."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from strawberry.schema.base import BaseSchema

from api.errors import BAD_REQUEST, HttpError, of_tree
from api.explorer import explorer_routes
from api.http import graphql_router
from api.limits import Limits
from api.middleware import BodyLimitMiddleware, TraceMiddleware, refusal_response
from graph.errors import HeliographError, Refused, Unauthenticated

GRAPHQL_PATH = "/graphql"
HEALTH_PATH = "/healthz"

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_app(
    schema: BaseSchema,
    context_getter: Callable[..., Any],
    *,
    limits: Limits,
    lifespan: Lifespan | None = None,
) -> FastAPI:
    """Return the application that serves a schema.

    ``context_getter`` is a FastAPI dependency and makes the context of one request; a HeliographError from it refuses
    the request, 401 where it is Unauthenticated. ``lifespan`` opens and closes what the context uses.
    """
    app = FastAPI(
        title="Heliograph",
        openapi_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        exception_handlers={
            HttpError: _refused,
            HeliographError: _failed,
            HTTPException: _not_served,
            RequestValidationError: _unreadable,
        },
    )
    app.add_middleware(BodyLimitMiddleware, max_bytes=limits.max_request_bytes)
    # Added last, so it is outermost: a refusal of the other carries the trace id too.
    app.add_middleware(TraceMiddleware)
    app.router.routes.extend(explorer_routes(GRAPHQL_PATH))
    app.include_router(graphql_router(schema, context_getter, limits=limits, path=GRAPHQL_PATH))
    app.add_route(HEALTH_PATH, _alive, include_in_schema=False)
    app.add_route("/", _to_explorer, include_in_schema=False)
    return app


async def _alive(_: Request) -> Response:
    """Say that the process answers; whether the database does is the GraphQL field ``health``."""
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


async def _to_explorer(_: Request) -> Response:
    return RedirectResponse(GRAPHQL_PATH)


async def _refused(_: Request, error: HttpError) -> Response:
    return refusal_response(error)


async def _failed(_: Request, error: HeliographError) -> Response:
    """Answer for an error of the tree that came before the query ran, while its context was made."""
    message, extensions = of_tree(error)
    status, headers = HTTPStatus.SERVICE_UNAVAILABLE, {}
    if isinstance(error, Unauthenticated):
        status, headers = HTTPStatus.UNAUTHORIZED, {"www-authenticate": "Bearer"}
    elif isinstance(error, Refused):
        status = HTTPStatus.FORBIDDEN
    code = extensions.pop("code")
    return refusal_response(HttpError(status, code, message, headers=headers, extensions=extensions))


async def _not_served(request: Request, error: HTTPException) -> Response:
    """Answer for a path or method that nothing serves."""
    status, headers = HTTPStatus(error.status_code), dict(error.headers or {})
    if status is HTTPStatus.NOT_FOUND:
        message = f"Nothing is served at this path: GraphQL is at {GRAPHQL_PATH}, liveness at {HEALTH_PATH}."
    elif status is HTTPStatus.METHOD_NOT_ALLOWED:
        message = "This path does not take this method: send GraphQL requests as POST, or queries as GET."
        if request.url.path == GRAPHQL_PATH:
            # Two routes serve the path, and each by itself would name its own method only.
            headers = {"allow": "GET, POST"}
    else:
        message = status.phrase
    return refusal_response(HttpError(status, status.name, message, headers=headers))


async def _unreadable(_: Request, error: RequestValidationError) -> Response:
    """Answer for a header or parameter that the context's own dependencies could not read."""
    problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
    return refusal_response(HttpError(HTTPStatus.BAD_REQUEST, BAD_REQUEST, f"The request is malformed: {problems}"))
