"""Search over nodes of several kinds: messages as everywhere, the others by full-text indexes of their own.

Private things are looked for among the reader's own: whose a memory or session is stands beside its text, as a word of
the index. What is found is then asked of the rule that each kind has everywhere.
"""

import asyncio
from collections.abc import Sequence
from itertools import chain, zip_longest

from graph.concepts import concept_cards
from graph.database import Database
from graph.errors import DatabaseTimeout
from graph.queries import query
from graph.readers import Reader
from graph.rules.searching import of_agent, saying
from graph.rules.walking import CONCEPT, NodeLabel
from graph.search import ANSWER_SECONDS, SearchFilter, search
from graph.walking import visible

NODES = query("search/nodes")

#: Hits that a page looks at of each kind but messages.
HITS_MOST = 500

#: The index of each kind, the properties that are its text, and the one that says whose it is.
_INDEXES = {
    NodeLabel.MEMORY: ("memory_text", ("text",), "owner"),
    NodeLabel.SESSION: ("session_text", ("externalId",), "agent"),
    NodeLabel.IDENTITY: ("identity_text", ("handle", "displayName"), None),
    NodeLabel.CONCEPT: ("concept_text", ("name", "description"), None),
}
#: The kinds that can be searched, in the order in which they are shown.
SEARCHED = (NodeLabel.MESSAGE, *_INDEXES)


async def search_nodes(
    database: Database, reader: Reader, terms: Sequence[str], labels: Sequence[NodeLabel], first: int
) -> list[str]:
    """Return the ids of up to ``first`` nodes of these kinds that have every term: the best of each kind in turn.

    Of messages the newest count as the best. Of memories and sessions the reader's own are found, an analyst's any.
    Raises DatabaseTimeout when an index does not catch up in time.
    """
    if not terms:
        return []
    asked = [label for label in SEARCHED if label in labels]
    found = await asyncio.gather(*(_found(database, reader, terms, label, first) for label in asked))
    turns = chain.from_iterable(zip_longest(*found))
    return [id_ for id_ in turns if id_ is not None][:first]


async def _found(
    database: Database, reader: Reader, terms: Sequence[str], label: NodeLabel, first: int
) -> Sequence[str]:
    if label is NodeLabel.MESSAGE:
        page = await search(database, reader, terms, SearchFilter(), first, None)
        return [card.id for card in page.items]
    index, fields, owner = _INDEXES[label]
    whose = "" if owner is None or reader.everything else of_agent(reader.handle, owner)
    asked = {"index": index, "words": f"{whose} {saying(terms, fields)}", "limit": HITS_MOST}
    try:
        # The server ends a query that takes too long, but not its wait for the index.
        async with asyncio.timeout(ANSWER_SECONDS):
            ids = [row["id"] for row in await database.fetch(NODES, asked)]
    except TimeoutError as error:
        raise DatabaseTimeout("The full-text index did not catch up in time; try again shortly.") from error
    if label is NodeLabel.CONCEPT:
        # What is found by an alias is the concept that it stands for.
        cards = await concept_cards(database, reader, [id_.removeprefix(CONCEPT) for id_ in ids])
        named = (cards.get(id_.removeprefix(CONCEPT)) for id_ in ids)
        return list(dict.fromkeys(f"{CONCEPT}{card.name}" for card in named if card is not None))[:first]
    seen = await visible(database, reader, ids)
    return [id_ for id_ in ids if id_ in seen][:first]
