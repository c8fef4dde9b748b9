"""What a client sees of an error: expected ones as they are, defects masked, each with ``extensions.code``.

A defect's message may hold anything, so a client gets a trace id instead, and the log gets the error under that id:
its type, message and traceback, but neither the query nor its variables, and no API key.
"""

import logging
import re
import traceback
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from graphql import FieldNode, GraphQLError, GraphQLSyntaxError

from api.trace import current_trace_id
from graph.errors import HeliographError, Refused, Unauthenticated

INTERNAL = "INTERNAL"
PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
BAD_USER_INPUT = "BAD_USER_INPUT"
BAD_REQUEST = "BAD_REQUEST"

# One response may hold the same failure for every row of a list; the log needs it only a few times.
LOGGED_PER_RESPONSE = 5

#: What a key looks like, so that none gets into a log.
API_KEY = re.compile(r"hg_[A-Za-z0-9_\-]+")

logger = logging.getLogger("heliograph.api")


class HttpError(Exception):
    """A request refused before any GraphQL is looked at. ``extensions`` go beside the code."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: str,
        *,
        headers: dict[str, str] | None = None,
        extensions: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.body = {"errors": [{"message": message, "extensions": {"code": code, **(extensions or {})}}]}


def present(errors: Sequence[GraphQLError], *, executed: bool) -> list[dict[str, Any]]:
    """Return the errors of one result as a client may see them, and log those that are the server's own.

    ``executed`` is false for a request that was refused before execution: parse and validation errors.
    """
    shown: list[dict[str, Any]] = []
    defects = 0
    for error in errors:
        formatted: dict[str, Any] = dict(error.formatted)
        said = _expected(error, executed=executed)
        if said is None:
            defects += 1
            said = masked(root_cause(error), error.path, log=defects <= LOGGED_PER_RESPONSE)
        formatted["message"], formatted["extensions"] = said
        shown.append(formatted)
    if defects > LOGGED_PER_RESPONSE:
        logger.error("%d more errors in trace %s", defects - LOGGED_PER_RESPONSE, current_trace_id())
    return shown


def masked(
    error: BaseException, path: Sequence[str | int] | None = None, *, log: bool = True
) -> tuple[str, dict[str, Any]]:
    """Return message and extensions that reveal nothing of a defect, and log it under the trace id they name."""
    trace_id = current_trace_id()
    if log:
        place = ".".join(map(str, path)) if path else "the request"
        logger.error("Trace %s, at %s:\n%s", trace_id, place, _described(error))
    return f"Something went wrong inside the server (trace {trace_id}).", {"code": INTERNAL, "traceId": trace_id}


def of_tree(error: HeliographError) -> tuple[str, dict[str, Any]]:
    """Return message and extensions of an error of the tree in ``graph.errors``; what the server suffers is logged."""
    if isinstance(error, Refused):
        return error.message, {
            "code": error.refusal.value,
            "field": error.field,
            "rule": error.rule,
            "candidates": list(error.candidates),
            "retryable": error.retryable,
        }
    if isinstance(error, Unauthenticated):
        return error.message, {"code": error.code}
    trace_id = current_trace_id()
    logger.warning("Trace %s: %s: %s", trace_id, error.code, API_KEY.sub("hg_…", error.message))
    return error.message, {"code": error.code, "traceId": trace_id}


def root_cause(error: BaseException) -> BaseException:
    """Return what was raised first, under any number of GraphQL errors that carry it."""
    cause = error
    while isinstance(cause, GraphQLError) and cause.original_error is not None:
        cause = cause.original_error
    return cause


def _expected(error: GraphQLError, *, executed: bool) -> tuple[str, dict[str, Any]] | None:
    """Return message and extensions of an error that is not a defect, else None."""
    cause = root_cause(error)
    for said in (error, cause):
        if isinstance(said, GraphQLError) and said.extensions and "code" in said.extensions:
            return error.message, dict(said.extensions)
    if isinstance(cause, HeliographError):
        return of_tree(cause)
    if isinstance(error, GraphQLSyntaxError):
        return error.message, {"code": PARSE_FAILED}
    # The library reports bad values at the node that holds them, a failing resolver at the field. What has no node
    # at all was raised by the machinery itself.
    at_a_value = bool(error.nodes) and not any(isinstance(node, FieldNode) for node in error.nodes or ())
    if not executed and (error.nodes or isinstance(cause, GraphQLError)):
        return error.message, {"code": VALIDATION_FAILED}
    if executed and (at_a_value or (error.path is None and isinstance(cause, GraphQLError))):
        return error.message, {"code": BAD_USER_INPUT}
    return None


def _described(error: BaseException) -> str:
    """Return the traceback without the query text that the library's own errors print, and without API keys."""
    if isinstance(error, GraphQLError):
        text = f"{type(error).__name__}: {error.message}"
    else:
        text = "".join(traceback.format_exception(error, chain=not isinstance(error.__context__, GraphQLError)))
    return API_KEY.sub("hg_…", text)
