"""Sessions: one run of an agent's harness, known by our id or by the id the harness gave it."""

from collections.abc import Sequence

from graph.database import Database, Transaction
from graph.errors import RefusalCode, Refused
from graph.queries import query
from graph.readers import Reader
from graph.records import SessionCard, session_card
from graph.rules.planning import FreshIds, session_to_open
from graph.rules.text import shown

CARDS, RESOLVE, OPEN = query("sessions/cards"), query("sessions/resolve"), query("sessions/open")


async def session_cards(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, SessionCard]:
    """Return the sessions of these ids that are the reader's, or that a message he may see names."""
    rows = await database.fetch(CARDS, {"ids": list(ids), **reader.parameters})
    return {card.id: card for card in map(session_card, rows)}


async def hold_session(tx: Transaction, agent: str, named: str, ids: FreshIds) -> str:
    """Lock the agent's mailbox and return the id of the session it names as its own, opened if it is new."""
    found = await _resolve(tx, agent, named)
    if found is not None:
        return found
    opened = session_to_open(agent, named, "session", ids)
    await tx.run(
        OPEN,
        {
            "id": opened.id,
            "agent": opened.agent,
            "externalId": opened.external_id,
            "startedAt": opened.started_at,
        },
    )
    return opened.id


async def known_session(tx: Transaction, agent: str, named: str) -> str:
    """Lock the agent's mailbox and return the id of its session of that name. Raises Refused when it has none."""
    found = await _resolve(tx, agent, named)
    if found is None:
        raise Refused(
            RefusalCode.NOT_FOUND,
            f"session {shown(named)} is not a session of yours; a session begins with writeHandover, acceptHandovers "
            "or a message that names it as originSession.",
            field="session",
        )
    return found


async def _resolve(tx: Transaction, agent: str, named: str) -> str | None:
    (row,) = await tx.run(RESOLVE, {"agent": agent, "name": named})
    session: str | None = row["session"]
    return session
