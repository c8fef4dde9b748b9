"""Automatic tagging: registered concepts that a message names in its text, found after it was sent.

A message keeps the tags it was sent with, and nobody's inbox changes: only its ``TAGGED_CONCEPT`` edges do, and those
say that their source is AUTO.
"""

import asyncio
from collections.abc import Sequence

from graph.database import Database, Transaction
from graph.queries import query
from graph.rules.limits import MessageLimits
from graph.rules.vocabulary import Vocabulary, plain

VOCABULARY, TEXTS = query("concepts/vocabulary"), query("concepts/texts")
TAG = query("concepts/tag_messages")

#: How much of a body is read, and how many registered concepts are looked for in it.
CHARACTERS_MOST, CONCEPTS_MOST = 20_000, 10_000
#: The messages that are tagged in one transaction.
AT_ONCE = 100


class AutoTagger:
    """Tags messages with what they name. It knows the vocabulary until an operator changes the ontology."""

    def __init__(self, database: Database, limits: MessageLimits) -> None:
        self._database = database
        self._limits = limits
        self._known: tuple[int, Vocabulary] | None = None
        self._waiting: list[str] = []
        self._busy = False

    async def tag(self, ids: Sequence[str]) -> None:
        """Tag these messages; those that were retracted by now, or name nothing, stay as they are.

        One call at a time works, on what all have left; the others return at once. So however much is sent, tagging
        takes one connection.
        """
        self._waiting += ids
        if self._busy:
            return
        self._busy = True
        try:
            while some := self._waiting[:AT_ONCE]:
                del self._waiting[:AT_ONCE]
                await self._tag(some)
        finally:
            self._busy = False

    async def _tag(self, ids: Sequence[str]) -> None:
        rows = await self._database.fetch(TEXTS, {"ids": list(ids), "characters": CHARACTERS_MOST})
        if not rows:
            return
        vocabulary = await self._vocabulary(rows[0]["version"])
        texts = {row["id"]: f"{row['subject']}\n{row['body']}" for row in rows}
        # Reading a long text takes some milliseconds, which nobody else should have to wait for.
        found = await asyncio.to_thread(_named, vocabulary, texts, self._limits.tags)
        if found:
            named = [{"message": id_, "concepts": sorted(concepts)} for id_, concepts in sorted(found.items())]

            async def work(tx: Transaction) -> None:
                await tx.run(TAG, {"named": named})

            await self._database.write(work)

    async def _vocabulary(self, version: int) -> Vocabulary:
        if self._known is None or self._known[0] != version:
            rows = await self._database.fetch(VOCABULARY, {"most": CONCEPTS_MOST})
            self._known = version, Vocabulary.of((row["name"], row["concept"]) for row in rows)
        return self._known[1]


def _named(vocabulary: Vocabulary, texts: dict[str, str], most: int) -> dict[str, tuple[str, ...]]:
    found = {id_: vocabulary.named_in(plain(text), most) for id_, text in texts.items()}
    return {id_: concepts for id_, concepts in found.items() if concepts}
