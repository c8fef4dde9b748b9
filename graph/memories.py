"""Memories: what an agent keeps. A memory is a node that can be answered and referred to, and is not a message."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from graph.clock import Clock
from graph.concepts import meanings
from graph.database import Database, Transaction
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, new_id
from graph.queries import query
from graph.readers import Reader
from graph.records import MemoryCard, memory_card
from graph.rules.drafts import check_idempotency_key, optional_session
from graph.rules.limits import MessageLimits
from graph.rules.tags import canonical_tags
from graph.rules.text import check_text, shown
from graph.sessions import known_session

CARDS, BY_KEY, REMEMBER = query("memories/cards"), query("memories/by_key"), query("memories/remember")
LOCK_MAILBOX = query("mailbox/lock")


@dataclass(frozen=True, slots=True)
class MemoryInput:
    """What an agent says of a memory. ``session`` names one that exists; naming it here does not open it."""

    text: str
    session: str | None = None
    tags: tuple[str, ...] = ()
    idempotency_key: str | None = None


async def remember(database: Database, clock: Clock, agent: str, said: MemoryInput, limits: MessageLimits) -> str:
    """Keep a memory and return its id; the same key with the same content returns the memory it made before.

    Raises Refused with INVALID_INPUT, LIMIT_EXCEEDED, NOT_FOUND (the session) or IDEMPOTENCY_CONFLICT.
    """
    text = check_text(said.text, "text", octets=limits.memory_bytes)
    tags = canonical_tags(said.tags, "tags", limits)
    named = optional_session(said.session, "session", limits)
    key = check_idempotency_key(said.idempotency_key, limits)
    now = clock.now()
    memory = new_id(Prefix.MEMORY, now)

    async def work(tx: Transaction) -> str:
        await tx.run(LOCK_MAILBOX, {"mailbox": agent})
        session = None if named is None else await known_session(tx, agent, named)
        content_hash = hashlib.sha256(json.dumps([text, sorted(tags), session]).encode()).hexdigest()
        if key is not None and (known := await tx.one(BY_KEY, {"agent": agent, "key": key})) is not None:
            return _same(known["id"], known["contentHash"] == content_hash, key)
        # What a retry is compared by is what was said, whatever that has come to mean.
        concepts = tuple(dict.fromkeys(meaning.concept for meaning in await meanings(tx, tags))) if tags else ()
        by = {"agent": agent, "idempotencyKey": key, "contentHash": None if key is None else content_hash}
        await tx.run(
            REMEMBER,
            {
                "agent": agent,
                "at": now,
                "concepts": sorted(concepts),
                "properties": {
                    "id": memory,
                    "owner": agent,
                    "text": text,
                    "kind": "MEMORY",
                    "createdAt": now,
                    "tags": concepts,
                },
                "by": by,
                "session": session,
            },
        )
        return memory

    return await database.write(work)


async def memory_cards(database: Database, reader: Reader, ids: Sequence[str]) -> dict[str, MemoryCard]:
    """Return the memories of these ids that are the reader's, or that a message in his mailbox refers to."""
    rows = await database.fetch(CARDS, {"ids": list(ids), **reader.parameters})
    return {card.id: card for card in map(memory_card, rows)}


def _same(memory: str, same_content: bool, key: str) -> str:
    if not same_content:
        raise Refused(
            RefusalCode.IDEMPOTENCY_CONFLICT,
            f"idempotencyKey {shown(key)} was used for a memory with other content; use a new key for a new memory.",
            field="idempotencyKey",
        )
    return memory
