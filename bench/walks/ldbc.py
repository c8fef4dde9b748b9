"""The short reads of the LDBC social network benchmark that mail has an answer to, as named requests (docs/ldbc.md)."""

from typing import Any

from bench.scripts import Listener
from bench.walks.asking import HUB, Question
from bench.walks.shapes import ASHORE, Shapes
from graph.identities import identity_cards
from graph.messages import bodies, message_cards, replies
from graph.neighbors import Chosen, neighbors
from graph.rules.walking import Direction, EdgeType
from graph.threads import thread_cards
from graph.walking import visible

#: How many messages of a person IS2 asks for, and how many replies one page has.
RECENT, REPLIES = 10, 20

RECENT_MESSAGES = """
query RecentMessages($person: ID!, $first: Int = 10) {
  neighbors(id: $person, types: [SENT_BY], direction: IN, first: $first) {
    edges { node { ... on Message {
      id bodyText createdAt
      thread { firstMessage { id sender { handle displayName } } }
    } } }
  }
}
"""
FORUM_OF_MESSAGE = """
query ForumOfMessage($message: ID!) {
  message(id: $message) {
    thread { id subject firstMessage { sender { handle displayName } } }
  }
}
"""
REPLIES_OF_MESSAGE = """
query RepliesOfMessage($message: ID!, $first: Int = 20, $after: String) {
  message(id: $message) {
    sender { handle }
    replies(first: $first, after: $after) {
      edges { node { id bodyText createdAt sender { handle displayName } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}
"""


def ldbc(shapes: Shapes) -> list[Question]:
    """Return IS2 of somebody who writes to the hub, and IS6 and IS7 in the longest thread."""
    longest = shapes.members[max(shapes.sizes.threads)]
    return [_recent(ASHORE), _forum(longest[-1]), _replies(longest[0])]


def _recent(person: str) -> Question:
    async def use(database: Listener) -> object:
        chosen = Chosen(frozenset({EdgeType.SENT_BY}), frozenset({Direction.IN}))
        found = [one.id for one in (await neighbors(database, HUB, person, chosen, RECENT, None)).items]
        await visible(database, HUB, (person, *found))
        cards = await message_cards(database, HUB, found)
        await bodies(database, found)
        threads = await thread_cards(database, HUB, list({card.thread for card in cards.values()}))
        first = await message_cards(database, HUB, {thread.first for thread in threads.values()})
        return await identity_cards(database, {card.sender for card in first.values()})

    def answered(data: dict[str, Any]) -> bool:
        nodes = [edge["node"] for edge in data["neighbors"]["edges"]]
        return len(nodes) == RECENT and all(node["thread"]["firstMessage"] for node in nodes)

    said = {"person": person, "first": RECENT}
    return Question("LDBC IS2, recent messages with their roots", HUB, RECENT_MESSAGES, said, answered, use)


def _forum(message: str) -> Question:
    async def use(database: Listener) -> object:
        cards = await message_cards(database, HUB, [message])
        threads = await thread_cards(database, HUB, [card.thread for card in cards.values()])
        first = await message_cards(database, HUB, [thread.first for thread in threads.values()])
        return await identity_cards(database, {card.sender for card in first.values()})

    def answered(data: dict[str, Any]) -> bool:
        return data["message"] is not None and data["message"]["thread"]["firstMessage"] is not None

    return Question("LDBC IS6, the forum of a message", HUB, FORUM_OF_MESSAGE, {"message": message}, answered, use)


def _replies(message: str) -> Question:
    async def use(database: Listener) -> object:
        await message_cards(database, HUB, [message])
        page = (await replies(database, HUB, [message], REPLIES, None))[message].items
        await bodies(database, [card.id for card in page])
        return await identity_cards(database, {card.sender for card in page})

    def answered(data: dict[str, Any]) -> bool:
        return data["message"] is not None and len(data["message"]["replies"]["edges"]) == REPLIES

    said = {"message": message, "first": REPLIES}
    return Question("LDBC IS7, replies of a message", HUB, REPLIES_OF_MESSAGE, said, answered, use)
