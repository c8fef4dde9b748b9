"""Addressing: what an unknown address may have meant."""

from graph.database import Database
from graph.errors import UnknownAddress
from graph.queries import query
from graph.rules.addresses import nearest

DIRECTORY = query("identities/directory")


async def with_candidates(database: Database, unknown: UnknownAddress) -> UnknownAddress:
    """Return the refusal with the nearest addresses that exist and a remedy.

    This looks through the whole directory, so it runs after the refused transaction has let go of its locks.
    """
    directory = await database.fetch(DIRECTORY)
    near = nearest(unknown.address, (row["handle"] for row in directory))
    remedy = f"Did you mean {' or '.join(near)}?" if near else "An operator registers identities."
    field = unknown.field or "to"
    return UnknownAddress(unknown.address, f"{unknown.message} {remedy}", field=field, candidates=near)
