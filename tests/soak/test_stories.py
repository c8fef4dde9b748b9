"""Long stories of random operations, each known by its seed (issue 4: 300 sequences of 40 steps).

HELIOGRAPH_SOAK_STORIES says how many, 300 unless set; HELIOGRAPH_SOAK_FIRST_STORY the seed of the first, so that
a story that failed can be told again alone.
"""

import os
import time
from collections import Counter

import pytest

from cli.output import print_table
from tests.stories.steps import steps_of
from tests.stories.story import Story
from tests.support import Agents

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]

STORIES = int(os.environ.get("HELIOGRAPH_SOAK_STORIES", "300"))
FIRST = int(os.environ.get("HELIOGRAPH_SOAK_FIRST_STORY", "1"))
STEPS = 40
#: Stories between two lines of progress.
PROGRESS = 25


async def test_long_stories_keep_the_rules(agents: Agents, capsys: pytest.CaptureFixture[str]) -> None:
    began, acts, letters = time.monotonic(), Counter[str](), 0
    for number, seed in enumerate(range(FIRST, FIRST + STORIES), start=1):
        steps = steps_of(seed, STEPS)
        story = await Story.begun(agents, seed)
        try:
            await story.tell(steps)
        except BaseException as error:
            told = "\n".join(f"{at:3} {step}" for at, step in enumerate(steps[: story.world.step], start=1))
            again = f"HELIOGRAPH_SOAK_FIRST_STORY={seed} HELIOGRAPH_SOAK_STORIES=1"
            error.add_note(f"Story {seed}; alone: {again}. It was told as far as:\n{told}")
            raise
        finally:
            await story.over()
        acts.update(step.act for step in steps)
        letters += len(story.world.letters)
        if number % PROGRESS == 0:
            with capsys.disabled():
                print(f"Story {seed}: {number} of {STORIES} told, {time.monotonic() - began:.0f} s")  # noqa: T201
    with capsys.disabled():
        print_table(
            ("stories", "steps", "letters", "kinds of act", "minutes"),
            [
                (
                    str(STORIES),
                    str(STORIES * STEPS),
                    str(letters),
                    str(len(acts)),
                    f"{(time.monotonic() - began) / 60:.1f}",
                )
            ],
            title="Stories of random operations",
        )
