"""Sessions in the API."""

from datetime import datetime

import strawberry

from api.context import Info
from api.schema.identities import AgentIdentity
from api.schema.nodes import Node
from graph.records import SessionCard


@strawberry.type(description="One run of an agent's harness.")
class Session(Node):
    """A session."""

    external_id: str | None = strawberry.field(description="The id that the harness gave it, unique for its agent.")
    agent: AgentIdentity
    started_at: datetime
    ended_at: datetime | None

    @classmethod
    def of(cls, card: SessionCard) -> "Session":
        """Return the API's session."""
        return cls(
            id=strawberry.ID(card.id),
            external_id=card.external_id,
            agent=AgentIdentity.known_as(card.agent),
            started_at=card.started_at,
            ended_at=card.ended_at,
        )


async def load_session(info: Info, session: str | None) -> Session | None:
    """Return the session of that id; None of None, and for one that the caller may not see."""
    card = None if session is None else await info.context.loaders.session.load(session)
    return None if card is None else Session.of(card)
