"""Reading inputs: what was left out, and what cannot be meant."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

import strawberry

from graph.errors import RefusalCode, Refused
from graph.ids import Prefix
from graph.rules.addresses import AddressKind, parse_address, resolve_self
from graph.rules.drafts import check_id
from graph.rules.limits import MessageLimits
from graph.rules.tags import canonical_tags
from graph.rules.text import shown

T = TypeVar("T")


def said(value: T | None) -> T | None:
    """Return an optional input: None when it was left out. Empty text stays, and is refused where it must be."""
    return None if value is strawberry.UNSET else value


def said_address(value: str | None, field: str, reader: str) -> str | None:
    """Return an optional address in its canonical spelling, ``@self`` resolved. Raises Refused for what is none."""
    written = said(value)
    if written is None:
        return None
    address = parse_address(written, field)
    if address.kind is AddressKind.FAMILY:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(written)} is a model family, to which one can only send; name an identity or a role.",
            field=field,
        )
    return resolve_self(address, reader)


def said_time(value: datetime | None, field: str) -> datetime | None:
    """Return an optional time, in UTC: the database orders equal moments by their offsets.

    Raises Refused for one without a time zone, which would be anybody's guess, or beyond the years 1 to 9999.
    """
    moment = said(value)
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {moment.isoformat()} has no time zone; write one, such as {moment.isoformat()}Z.",
            field=field,
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise Refused(
            RefusalCode.INVALID_INPUT, f"{field} {moment.isoformat()} is in no year from 1 to 9999 of UTC.", field=field
        ) from error


def said_tags(value: Iterable[str] | None, limits: MessageLimits) -> tuple[str, ...]:
    """Return the tags of a filter in canonical form. Raises Refused for a bad one."""
    return canonical_tags(said(value) or (), "tags", limits)


def said_thread(value: str | None) -> str | None:
    """Return the thread of a filter. Raises Refused for what is not a thread's id."""
    written = said(value)
    return None if written is None else check_id(written, Prefix.THREAD, "thread")


def said_ids(value: Iterable[str] | None, field: str, limits: MessageLimits) -> list[str]:
    """Return the ids of a batch, as written. Raises Refused for none, or more than a batch may have."""
    ids = list(said(value) or ())
    if not ids:
        raise Refused(RefusalCode.INVALID_INPUT, f"{field} is empty; name at least one message.", field=field)
    if len(ids) > limits.batch_ids:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} names {len(ids)}; at most {limits.batch_ids} are allowed (batchIds).",
            field=field,
        )
    return ids
