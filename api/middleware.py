"""What every request passes through, whatever it asks for: its trace, its size, and the last line for defects."""

from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import INTERNAL, HttpError, masked
from api.limits import LIMIT_EXCEEDED
from api.trace import TRACE_HEADER, begin_trace

# Answers are for the one who asked, never to be guessed at by a browser, framed, or told to another site.
SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
}


def refusal_response(refusal: HttpError) -> Response:
    """Return the response of a refused request: JSON that any GraphQL client reads as an error."""
    return JSONResponse(refusal.body, status_code=refusal.status, headers=refusal.headers)


class TraceMiddleware:
    """Gives each request a trace id and its answer the headers that all have; masks what nothing else caught."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        trace_id = begin_trace(Headers(scope=scope).get(TRACE_HEADER))
        started = False

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers[TRACE_HEADER] = trace_id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return  # Nobody is left to answer.
        except Exception as error:
            message, extensions = masked(error)
            if started:
                raise
            refusal = HttpError(HTTPStatus.INTERNAL_SERVER_ERROR, INTERNAL, message, extensions=extensions)
            await refusal_response(refusal)(scope, receive, send_with_headers)


class BodyLimitMiddleware:
    """Refuses a request body that is too large: at once when its length is announced, else when it gets there."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._max_bytes:
            await refusal_response(self._too_large(int(announced)))(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise self._too_large(received)
            return message

        await self._app(scope, counted, send)

    def _too_large(self, found: int) -> HttpError:
        allowed = self._max_bytes
        return HttpError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            LIMIT_EXCEEDED,
            f"The request body has {found} bytes or more, and {allowed} are allowed: send less in one request.",
            extensions={"limit": "maxRequestBytes", "allowed": allowed, "found": found},
        )
