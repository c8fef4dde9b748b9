"""Receipts: how far a message came with each who got it, for its sender (LESSONS 14)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.database import Database
from graph.queries import query
from graph.readers import Reader
from graph.records import Page, moment, optional_moment

PAGE, COUNTS = query("receipts/page"), query("receipts/counts")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a message in one mailbox. What its owner filed or tagged it as is his own affair."""

    address: str
    via: str
    delivered_at: datetime
    seen_at: datetime | None
    read_at: datetime | None


async def receipts(
    database: Database, reader: Reader, ids: Sequence[str], first: int, after: str | None
) -> dict[str, Page[Receipt, str]]:
    """Return for each message a page of receipts, by address, past ``after``; none for what ``reader`` did not send."""
    asked = {"ids": list(ids), **_of(reader), "after": after or "", "limit": first + 1}
    rows = await database.fetch(PAGE, asked)
    found: dict[str, list[Receipt]] = {id_: [] for id_ in ids}
    for row in rows:
        found[row["id"]].append(
            Receipt(
                row["address"],
                row["via"],
                moment(row["deliveredAt"]),
                optional_moment(row["seenAt"]),
                optional_moment(row["readAt"]),
            )
        )
    return {
        id_: Page(tuple(items[:first]), len(items) > first, items[:first][-1].address if items else None)
        for id_, items in found.items()
    }


async def receipt_counts(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, int]:
    """Return how many mailboxes got each message; nothing for one that ``reader`` did not send."""
    rows = await database.fetch(COUNTS, {"ids": list(ids), **_of(reader)})
    return {row["id"]: row["receipts"] for row in rows}


def _of(reader: Reader) -> dict[str, Any]:
    return {"sender": reader.handle, "everything": reader.everything}
