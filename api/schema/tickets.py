"""Tickets in the API: work items of a tracker that messages refer to."""

import strawberry

from api.context import Info
from api.schema.nodes import Node
from graph.messages import TicketCard
from graph.rules.tickets import PREFIX


@strawberry.type(description="A work item of a tracker. Its id is 'ticket:' and its key.")
class Ticket(Node):
    """A ticket."""

    key: str
    url: str | None

    @classmethod
    def of(cls, card: TicketCard) -> "Ticket":
        """Return the API's ticket."""
        return cls(id=strawberry.ID(PREFIX + card.key), key=card.key, url=card.url)


async def load_ticket(info: Info, key: str) -> Ticket | None:
    """Return the ticket of that key; None where no message that the caller sees refers to it."""
    card = await info.context.loaders.ticket.load(key)
    return None if card is None else Ticket.of(card)
