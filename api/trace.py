"""The trace id of the request being served, known to everything that runs for it.

A client may choose it with ``X-Request-Id``; it comes back in the same header and in masked errors, and stands beside
the real error in the log.
"""

import re
import uuid
from contextvars import ContextVar

TRACE_HEADER = "x-request-id"

# Only what is safe to write into a log line and a header is taken from a client.
_ACCEPTABLE = re.compile(r"[A-Za-z0-9._-]{8,64}")
_current: ContextVar[str] = ContextVar("heliograph_trace_id")


def current_trace_id() -> str:
    """Return the trace id of the request being served, or a new one outside any request."""
    trace_id = _current.get("")
    return trace_id or new_trace_id()


def new_trace_id() -> str:
    """Return a trace id that no other request has."""
    return uuid.uuid4().hex


def begin_trace(offered: str | None) -> str:
    """Make the client's trace id, if it is usable, or else a new one the current one, and return it."""
    trace_id = offered if offered and _ACCEPTABLE.fullmatch(offered) else new_trace_id()
    _current.set(trace_id)
    return trace_id
