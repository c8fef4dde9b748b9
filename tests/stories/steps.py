"""What can happen next in a story, as plain numbers: any step can be told in any story, and told again."""

import random
from dataclasses import dataclass

#: What happens how often.
WEIGHTS = {
    "send": 6,
    "reply": 6,
    "enter": 1,
    "broadcast": 2,
    "read": 3,
    "unread": 2,
    "archive": 2,
    "unarchive": 2,
    "up_to": 3,
    "look": 3,
    "retract": 2,
    "tag": 4,
    "block": 2,
    "unblock": 1,
    "grant": 3,
    "revoke": 1,
    "join": 2,
    "leave": 1,
    "give": 3,
    "claim": 3,
    "complete": 2,
    "cancel": 1,
    "expire": 1,
    "take": 3,
    "release": 1,
    "finish": 2,
    "hand_over": 2,
    "accept": 2,
    "give_back": 1,
}
ACTS = tuple(WEIGHTS)
MOST = 255


@dataclass(frozen=True)
class Step:
    """An act, by whom, and which of the things that there are: numbers to be taken modulo what there is."""

    act: str
    who: int
    one: int
    two: int
    flags: int

    def flag(self, bit: int) -> bool:
        """Tell whether a bit of the flags is set."""
        return bool(self.flags >> bit & 1)


def steps_of(seed: int, count: int) -> list[Step]:
    """Return the steps of a seed: the same ones always."""
    chance = random.Random(seed)  # noqa: S311 - it only has to vary, and to vary alike in every run
    acts = chance.choices(ACTS, tuple(WEIGHTS.values()), k=count)
    return [Step(act, *(chance.randint(0, MOST) for _ in range(4))) for act in acts]
