"""Addressing: what an unknown address may have meant, and who is of a model family."""

from collections import defaultdict

from graph.database import Database
from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.queries import query
from graph.rules.addresses import nearest, parse_address
from graph.rules.text import shown

DIRECTORY, OF_FAMILIES = query("identities/directory"), query("identities/of_families")


async def with_candidates(database: Database, unknown: UnknownAddress) -> UnknownAddress:
    """Return the refusal with the nearest addresses that exist and a remedy.

    This looks through the whole directory, so it runs after the refused transaction has let go of its locks.
    """
    directory = await database.fetch(DIRECTORY)
    near = nearest(unknown.address, (row["address"] for row in directory))
    remedy = f"Did you mean {' or '.join(near)}?" if near else "An operator registers identities."
    field = unknown.field or "to"
    return UnknownAddress(unknown.address, f"{unknown.message} {remedy}", field=field, candidates=near)


async def without_families(database: Database, written: tuple[str, ...], field: str) -> tuple[str, ...]:
    """Return the addresses with every model family replaced by the one agent that is of it (ORIGIN §1.3).

    What is kept is the handle: a later change of the roster moves no mail. Raises Refused with AMBIGUOUS_ADDRESS and
    the candidates where several are, UNKNOWN_ADDRESS where none is, INVALID_INPUT for what is no address.
    """
    # A family has a slash and nothing else does, so mail to plain addresses asks nothing here.
    named = {item: parse_address(item, field).text for item in written if "/" in item}
    if not named:
        return written
    families = {text.removeprefix("agent:") for text in named.values()}
    found: dict[str, list[str]] = defaultdict(list)
    for row in await database.fetch(OF_FAMILIES, {"families": sorted(families)}):
        found[row["family"]].append(row["handle"])
    return tuple(
        _one_of(item, found[named[item].removeprefix("agent:")], field) if item in named else item for item in written
    )


def _one_of(written: str, handles: list[str], field: str) -> str:
    match handles:
        case [handle]:
            return handle
        case []:
            raise UnknownAddress(written, f"No agent here is of the family {shown(written)}.", field=field)
        case _:
            near = tuple(handles[:3])
            raise Refused(
                RefusalCode.AMBIGUOUS_ADDRESS,
                f"{field} {shown(written)} could be {len(handles)} agents; write to one of them, "
                f"such as {' or '.join(near)}.",
                field=field,
                candidates=near,
            )
