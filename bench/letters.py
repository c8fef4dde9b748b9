"""Who writes in the store that is measured, and what: texts with words to search for, and tags of known frequency."""

import random
from dataclasses import dataclass, field

from graph.rules.drafts import MessageInput

READER = "@reader"
PEERS = [f"@peer-{number:02}" for number in range(50)]
#: Those who write to the reader, and those who write to each other: two loaders that never wait for the same mailbox.
SHORE, SEA = PEERS[:25], PEERS[25:]
TOPICS = [f"topic-{number:02}" for number in range(30)]
#: On three messages in ten, and on exactly the first 20 to the reader.
COMMON_TAG, RARE_TAG, RARE = "log", "eclipse", 20
#: In one text in ten, and in those of the rare tag alone.
COMMON_WORD, RARE_WORD = "harbour", "penumbra"

_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "zu")
_WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES[::2] for c in _SYLLABLES[::3]]
_TEXTS = 1000
_TEXT_WORDS = 60
_LINE = 80


def _texts() -> list[str]:
    chance = random.Random(2)  # noqa: S311 - alike in every run
    texts = [" ".join(chance.choices(_WORDS, k=_TEXT_WORDS)) for _ in range(_TEXTS)]
    return [f"{text} {COMMON_WORD}." if number % 10 == 0 else f"{text}." for number, text in enumerate(texts)]


@dataclass
class Letters:
    """Makes messages of usual size: about 400 characters, three tags, and a key that no other has."""

    run: str
    count: int = 0
    _chance: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - alike in every run
    _bodies: list[str] = field(default_factory=_texts)

    def two_of(self, group: list[str]) -> list[str]:
        """Return two different members of a group."""
        return self._chance.sample(group, 2)

    def letter(self, to: str, *, in_reply_to: str | None = None, rare: bool = False) -> MessageInput:
        """Return a message to ``to``; a ``rare`` one has the rare tag and the rare word."""
        self.count += 1
        first, second = self._chance.sample(TOPICS, 2)
        last = COMMON_TAG if self.count % 10 in (0, 3, 6) else f"{first}-more"
        body = self._bodies[self._chance.randrange(_TEXTS)]
        return MessageInput(
            to=(to,),
            subject="The watch at noon",
            body_text=f"{RARE_WORD} {body}" if rare else body,
            in_reply_to=in_reply_to,
            tags=(first, second, RARE_TAG if rare else last),
            idempotency_key=f"{self.run}-{self.count}",
        )

    def line(self, to: str) -> MessageInput:
        """Return a message of one line to ``to``: no tags, and a key that no other has."""
        self.count += 1
        body = self._bodies[self._chance.randrange(_TEXTS)][:_LINE]
        return MessageInput(
            to=(to,), subject="The watch at noon", body_text=body, idempotency_key=f"{self.run}-{self.count}"
        )
