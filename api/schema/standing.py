"""How a thread stands, in the API: pages of some of its messages, who takes part how much, whose reply is awaited."""

from collections.abc import Sequence
from datetime import datetime

import strawberry

from api.context import Info
from api.relay import PageInfo, check_first, decode_cursor, encode_cursor, key_time, page_info, time_key
from api.schema.identities import AgentIdentity
from api.schema.messages import Message, MessageConnection, load_message, message_connection
from graph.rules.standing import by_time
from graph.rules.threads import Member
from graph.scanning import COUNT_MOST, Total
from graph.threads import Participant


@strawberry.type(description="Somebody whose reply is awaited.")
class AwaitedReply:
    """Somebody who was asked and has not answered."""

    agent: AgentIdentity
    since: datetime = strawberry.field(description="When that message was sent.")
    message_id: strawberry.Private[str]

    @strawberry.field(description="The oldest message that he has still to answer.")
    async def message(self, info: Info) -> Message | None:
        """Return the message; None when the caller may not see it any more."""
        return await load_message(info, self.message_id)


@strawberry.type(description="How much somebody took part in a thread, as far as you may see it.")
class Participation:
    """A participant with counts."""

    agent: AgentIdentity
    messages: int = strawberry.field(description="How many messages he sent; 0 when he was only written to.")
    last_at: datetime | None = strawberry.field(description="When he sent the last of them.")


@strawberry.type
class ParticipationEdge:
    """A participant and his place in the list."""

    cursor: str
    node: Participation


@strawberry.type(description="A page of participants, by handle.")
class ParticipationConnection:
    """A page of participants."""

    edges: list[ParticipationEdge]
    page_info: PageInfo
    total_count: int = strawberry.field(description="How many take part.")


def participation_page(
    scope: str, left: Sequence[Participant], size: int, after: str | None, total: int
) -> ParticipationConnection:
    """Return the first ``size`` of the participants who are left, as a connection."""
    cursors = [encode_cursor(scope, one.handle) for one in left[:size]]
    edges = [
        ParticipationEdge(
            cursor=cursor,
            node=Participation(agent=AgentIdentity.known_as(one.handle), messages=one.messages, last_at=one.last_at),
        )
        for one, cursor in zip(left[:size], cursors, strict=True)
    ]
    return ParticipationConnection(
        edges=edges, page_info=page_info(cursors, has_next=len(left) > size, after=after), total_count=total
    )


async def members_page(
    info: Info, scope: str, members: Sequence[Member], first: int | None, after: str | None, *, newest_first: bool
) -> MessageConnection:
    """Return a page of messages of a thread, which come in the order of their times and ids, or the other way round."""
    size = check_first(first, info.context.limits)
    key = decode_cursor(scope, after, int, str)
    left = list(members)
    if key is not None:
        place = key_time(int(key[0])), str(key[1])
        left = [one for one in left if (by_time(one) < place if newest_first else by_time(one) > place)]
    shown = await info.context.loaders.message.load_many([one.id for one in left[:size]])
    cards = [card for card in shown if card is not None]
    info.context.shown_messages(card.id for card in cards)
    cursors = [encode_cursor(scope, time_key(card.created_at), card.id) for card in cards]

    async def total() -> Total:
        return Total(min(len(members), COUNT_MOST), capped=len(members) > COUNT_MOST)

    return message_connection(cards, cursors, len(left) > size, after, None, total)
