"""Receipts in the API: how far a message came, for its sender alone."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import strawberry

from api.relay import PageInfo
from api.schema.scalars import Address, Via


@strawberry.type(description="How far a message came in one mailbox.")
class Receipt:
    """A receipt."""

    address: Address
    via: Via
    delivered_at: datetime
    seen_at: datetime | None = strawberry.field(description="When the owner was first shown it.")
    read_at: datetime | None = strawberry.field(description="When it was first read.")


@strawberry.type
class ReceiptEdge:
    """A receipt and its place in the list."""

    cursor: str
    node: Receipt


@strawberry.type(description="A page of receipts, by address: one for every mailbox that got the message.")
class ReceiptConnection:
    """A page of receipts."""

    edges: list[ReceiptEdge]
    page_info: PageInfo
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="How many mailboxes got it.")
    async def total_count(self) -> int:
        """Return the total."""
        return await self.count()
