"""Retracting: a sender takes back what he wrote, for everybody and for good (DESIGN §3.5)."""

from graph.clock import Clock
from graph.database import Database, Transaction
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id
from graph.queries import query
from graph.readers import Reader
from graph.rules.text import shown

CARDS = query("messages/cards")
LOCK, BLANK, TOUCH = query("retracting/lock"), query("retracting/blank"), query("retracting/touch")


async def retract(database: Database, clock: Clock, reader: Reader, message: str) -> None:
    """Blank a message's subject and body wherever they are; node, edges, tags and references stay. Again: nothing.

    Every mailbox that holds it gets a change. Raises Refused with NOT_FOUND for what the caller may not see, FORBIDDEN
    for a message of somebody else.
    """
    now = clock.now()

    async def work(tx: Transaction) -> None:
        # Who wrote it never changes, so this needs no lock, and nobody can hold up mailboxes with others' ids.
        card = await tx.one(CARDS, {"ids": [message], **reader.parameters}) if is_id(message, Prefix.MESSAGE) else None
        if card is None:
            raise Refused(RefusalCode.NOT_FOUND, f"id {shown(message)} is not a message that you may see.", field="id")
        if card["sender"] != reader.handle:
            raise Refused(
                RefusalCode.FORBIDDEN, f"id {shown(message)} is not your message; only its sender retracts.", field="id"
            )
        (found,) = await tx.run(LOCK, {"id": message})
        if not found["retracted"]:
            await tx.run(BLANK, {"id": message, "at": now})
            await tx.run(TOUCH, {"id": message})

    await database.write(work)
