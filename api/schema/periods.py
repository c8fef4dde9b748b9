"""Periods and handles as arguments of what looks back."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.context import Info
from api.schema.inputs import said, said_address, said_time
from graph.errors import RefusalCode, Refused
from graph.rules.addresses import AddressKind, parse_address
from graph.rules.periods import Period, period
from graph.rules.text import shown

Since = Annotated[
    datetime | None, strawberry.argument(description="When the period begins; left out: 30 days before its end.")
]
SinceEver = Annotated[
    datetime | None, strawberry.argument(description="When the period begins; left out: before everything.")
]
Until = Annotated[datetime | None, strawberry.argument(description="When the period has ended; left out: now.")]


def said_period(info: Info, since: datetime | None, until: datetime | None, *, whole: bool = False) -> Period:
    """Return the period that is meant. Raises Refused for one that holds no moment."""
    now = info.context.graph.clock.now()
    return period(said_time(since, "since"), said_time(until, "until"), now, whole=whole)


async def said_handle(info: Info, written: str | None, field: str) -> str:
    """Return the handle of a known identity, the caller's own for null.

    Raises Refused for what is not one identity, and with NOT_FOUND where nobody has the handle: the directory is open.
    """
    named = said(written)
    if named is None:
        return info.context.handle
    if parse_address(named, field).kind not in (AddressKind.SELF, AddressKind.IDENTITY):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(named)} is not one identity; name it, such as '@ada'.",
            field=field,
        )
    handle = said_address(named, field, info.context.handle) or info.context.handle
    if await info.context.loaders.identity.load(handle) is None:
        raise Refused(RefusalCode.NOT_FOUND, f"{field} {shown(handle)} is nobody here; correct it.", field=field)
    return handle
