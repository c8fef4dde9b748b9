"""Pages and cursors: keysets, never offsets, so that a cursor stays good while mail arrives (DESIGN §5).

A cursor is opaque: the list it belongs to and the place in it. It grants nothing; every page is authorised anew.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import strawberry

from api.limits import Limits
from graph.errors import RefusalCode, Refused
from graph.records import milliseconds
from graph.rules.text import shown

KeyPart = str | int
#: The database knows no larger numbers; a cursor that holds one is none of ours.
_INT64 = 2**63


@strawberry.type(description="Where a page lies in its list.")
class PageInfo:
    """Relay's page information."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


First = Annotated[int | None, strawberry.argument(description="How many rows, 1 to 100.")]
After = Annotated[str | None, strawberry.argument(description="The cursor after which the page begins.")]


def page_info(cursors: Sequence[str], *, has_next: bool, after: str | None, end: str | None = None) -> PageInfo:
    """Return the page information for rows with these cursors; ``end`` where the scan went past the last row."""
    return PageInfo(
        has_next_page=has_next,
        has_previous_page=after is not None,
        start_cursor=cursors[0] if cursors else None,
        end_cursor=end or (cursors[-1] if cursors else None),
    )


def check_first(first: int | None, limits: Limits) -> int:
    """Return ``first``, the default for null. Raises Refused when it is below 1 or above the published limit."""
    return limits.first_default if first is None else check_size(first, limits.first_max, "rows", "firstMax")


def check_size(first: int, most: int, what: str, limit: str) -> int:
    """Return ``first``. Raises Refused when it is below 1, or above ``most``, which is published as ``limit``."""
    if first < 1:
        raise Refused(RefusalCode.INVALID_INPUT, f"first is {first}; ask for 1 to {most} {what}.", field="first")
    if first > most:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"first is {first}; at most {most} {what} are given at a time ({limit}).",
            field="first",
        )
    return first


def encode_cursor(scope: str, *key: KeyPart) -> str:
    """Return the cursor for a place in the list that ``scope`` names."""
    text = json.dumps([_tag(scope), *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(scope: str, cursor: str | None, *kinds: type) -> list[KeyPart] | None:
    """Return the place that a cursor names, None of None. Raises Refused for one that is not of this list."""
    if cursor is None:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        tag, *parts = json.loads(base64.urlsafe_b64decode(padded))
        key: list[KeyPart] = parts
        if tag == _tag(scope) and [type(part) for part in key] == list(kinds) and all(map(_known_to_database, key)):
            return key
    except (ValueError, TypeError, binascii.Error, UnicodeError, RecursionError):
        pass
    raise Refused(
        RefusalCode.INVALID_INPUT,
        f"after {shown(cursor)} is not a cursor of this list; use one that this list gave, or leave it out.",
        field="after",
    )


def _known_to_database(part: KeyPart) -> bool:
    return isinstance(part, str) or -_INT64 <= part < _INT64


def time_key(moment: datetime) -> int:
    """Return a time as milliseconds, for a cursor."""
    return milliseconds(moment)


def key_time(milliseconds: int) -> datetime:
    """Return the time of a cursor. Raises Refused when it is out of every calendar."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise Refused(RefusalCode.INVALID_INPUT, "after is not a cursor of this list.", field="after") from error


def _tag(scope: str) -> str:
    return hashlib.sha256(scope.encode()).hexdigest()[:8]
