"""Whatever agents do in whatever order, the mailbox keeps its rules (issue 4; DESIGN §2, §3; LESSONS 2, 3).

Each example is a short story of four new agents (``tests/stories``), which a model as simple as sets and lists follows.
The graph is held to the model and to itself, and each agent is shown what it may see and nothing else. Long stories
are told by tests/soak/test_stories.py.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stories.steps import ACTS, MOST, Step
from tests.stories.story import Story
from tests.support import Agents

numbers = st.integers(0, MOST)
steps = st.builds(Step, st.sampled_from(ACTS), numbers, numbers, numbers, numbers)


@given(story=st.lists(steps, min_size=6, max_size=12))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_the_mailbox_keeps_its_rules(story: list[Step], agents: Agents) -> None:
    happening = await Story.begun(agents)
    try:
        await happening.tell(story)
    finally:
        await happening.over()
