"""What the database does for lists by tag and of what one sent: the same however large the mailbox (DESIGN §2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
import pytest_asyncio

from graph.bootstrap import Graph
from graph.concepts import MEANT
from graph.mailbox import TOP, InboxFilter
from graph.queries import query
from graph.readers import Reader
from graph.scanning import LAST_ID
from graph.sent import FIRST_MOMENT, LAST_MOMENT, SentFilter, sent_parameters
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL, SORTS, WINDOW
from tests.support import Agents, Profile, message, profiled

SIZES = (200, 2000)
RARE = 20


@dataclass(frozen=True)
class Pair:
    """``author`` wrote ``size`` messages to ``owner``, all ``daily``, and 20 of them ``rare`` and copied to ``cc``.

    The 30 newest are unread. The 25 newest were sent at ``noon`` or later.
    """

    author: str
    owner: str
    cc: str
    size: int
    noon: datetime


async def pair(graph: Graph, agents: Agents, size: int) -> Pair:
    author, owner, copied = await agents("author", "owner", "cc")
    rare = message(owner, cc=(copied,), tags=("daily", "rare"))
    plain = message(owner, tags=("daily",))
    written = await bulk(
        graph, Ticking(graph.clock.now()), author, [plain if n % (size // RARE) else rare for n in range(size)]
    )
    old = [one.id for one in written[:-30]]
    for start in range(0, len(old), graph.limits.batch_ids):
        await agents.read(owner, *old[start : start + graph.limits.batch_ids])
    return Pair(author, owner, copied, size, written[-25].created_at)


@pytest_asyncio.fixture(scope="module")
async def pairs(graph: Graph, agents: Agents) -> list[Pair]:
    """Make a pair of each size, all of them before any is asked."""
    return [await pair(graph, agents, size) for size in SIZES]


@dataclass(frozen=True)
class Case:
    """A list query, what it is asked, the index that serves it, and how many rows the page has."""

    query: str
    index: str
    asked: Callable[[Pair], dict[str, Any]]
    answers: int = WINDOW
    rows: Callable[[Profile], Sequence[Any]] = lambda profile: profile.rows[0]["entries"]
    hits: int = 500


def filed(query_name: str, index: str, chosen: InboxFilter, answers: int = WINDOW) -> Case:
    """Return the case of the owner's inbox by tag."""

    def asked(pair: Pair) -> dict[str, Any]:
        page = {"mailbox": pair.owner, "before": TOP, "window": WINDOW, "counting": False}
        return page | chosen.parameters()

    return Case(f"mailbox/{query_name}", f"FILED_UNDER({index})", asked, answers)


def history(query_name: str, index: str, chosen: Callable[[Pair], SentFilter], answers: int = WINDOW) -> Case:
    """Return the case of what the author sent."""

    def asked(pair: Pair) -> dict[str, Any]:
        one = chosen(pair)
        page = {"beforeTime": one.until or LAST_MOMENT, "beforeId": LAST_ID, "window": WINDOW, "counting": False}
        return page | sent_parameters(pair.author, one, [(tag,) for tag in one.tags], 0)

    return Case(f"mailbox/{query_name}", index, asked, answers, lambda profile: profile.rows[0]["messages"])


UNREAD = "mailbox, folder, concept, unread, uid"
PLAIN = "mailbox, folder, concept, uid"
CASES = {
    "a common tag": filed("inbox_tag", PLAIN, InboxFilter(tags=("daily",))),
    "a tag of 20": filed("inbox_tag", PLAIN, InboxFilter(tags=("rare",)), RARE),
    "archived ones too": filed("inbox_tag", PLAIN, InboxFilter(tags=("daily",), include_archived=True)),
    "unread ones": filed("inbox_tag_unread", UNREAD, InboxFilter(tags=("daily",), unread=True)),
    "unread archived ones too": filed(
        "inbox_tag_unread", UNREAD, InboxFilter(tags=("daily",), unread=True, include_archived=True)
    ),
    "sent with a common tag": history(
        "sent_tag", "TAGGED_CONCEPT(sender, concept, createdAt, messageId)", lambda _: SentFilter(tags=("daily",))
    ),
    "sent with a tag of 20": history(
        "sent_tag", "TAGGED_CONCEPT(sender, concept, createdAt, messageId)", lambda _: SentFilter(tags=("rare",)), RARE
    ),
    "sent to one who got all": history(
        "sent_to", "SENT_TO(sender, address, createdAt, messageId)", lambda pair: SentFilter(to=pair.owner)
    ),
    "sent to one who got 20": history(
        "sent_to", "SENT_TO(sender, address, createdAt, messageId)", lambda pair: SentFilter(to=pair.cc), RARE
    ),
    "sent until": history("sent", "SENT_BY(sender, createdAt, messageId)", lambda pair: SentFilter(until=pair.noon)),
    "sent since": history("sent", "SENT_BY(sender, createdAt, messageId)", lambda pair: SentFilter(since=pair.noon)),
    "sent with a tag until": history(
        "sent_tag",
        "TAGGED_CONCEPT(sender, concept, createdAt, messageId)",
        lambda pair: SentFilter(tags=("daily",), until=pair.noon),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
async def test_a_page_costs_the_same_however_large_the_mailbox(graph: Graph, pairs: list[Pair], case: Case) -> None:
    small, large = [await profiled(graph.database, query(case.query), case.asked(pair)) for pair in pairs]
    for profile in (small, large):
        assert len(case.rows(profile)) == case.answers, str(profile)
        assert profile.hits <= case.hits, str(profile)
        assert case.index in "\n".join(step.details for step in profile.steps), str(profile)
        assert not [step for step in profile.steps if READS_ALL.search(step.operator)], str(profile)
        for step, feeding in zip(profile.steps, profile.steps[1:], strict=False):
            if SORTS.search(step.operator):
                assert feeding.rows <= 2 * WINDOW, str(profile)
    assert large.hits <= small.hits * 1.1, f"{small}\n\n{large}"


async def test_counting_for_the_rarest_stops_at_a_thousand(graph: Graph, pairs: list[Pair]) -> None:
    """DESIGN §2: several tags are driven by the rarest, and a count capped at 1,000 tells."""
    large = pairs[-1]
    groups = [["daily"], ["rare"]]
    inbox = {"mailbox": large.owner, "folders": ["INBOX", "ARCHIVE"], "groups": groups, "before": TOP}
    found = await profiled(graph.database, query("mailbox/tag_counts"), inbox)
    assert {row["position"]: row["filed"] for row in found.rows} == {0: 1000, 1: RARE}
    assert found.hits <= 2_500, str(found)
    span = {"beforeTime": LAST_MOMENT, "since": FIRST_MOMENT}
    of_author = {"sender": large.author, "groups": groups, "to": [large.owner], **span}
    found = await profiled(graph.database, query("mailbox/sent_counts"), of_author)
    assert {row["position"]: row["sent"] for row in found.rows} == {0: 1000, 1: RARE, -1: 1000}
    assert found.hits <= 4_500, str(found)


async def test_what_a_tag_means_is_a_handful_of_hits(graph: Graph, pairs: list[Pair]) -> None:
    """A tag without alias or narrower concept, used by thousands of messages, costs no more than the look for them."""
    for narrower in (False, True):
        asked = {"names": ["daily"], "narrower": narrower, "most": 201}
        found = await profiled(graph.database, MEANT, asked)
        assert found.rows == [{"name": "daily", "concept": "daily", "names": ["daily"]}]
        assert found.hits <= 30, str(found)


async def test_a_concept_costs_the_same_however_many_messages_have_it(graph: Graph, pairs: list[Pair]) -> None:
    """Whether one may see a concept is found by index; a concept of thousands of messages is not walked."""
    for who, shown in ((pairs[-1].owner, 1), (pairs[-1].author, 1), ("@nobody", 0)):
        asked = {"names": ["rare"], **Reader.alone(who).parameters}
        found = await profiled(graph.database, query("concepts/cards"), asked)
        assert len(found.rows) == shown
        assert found.hits <= 60, str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
    for window, hits in ((10, 700), (20, 1_400)):
        page = {"start": "", "end": "\U0010ffff", "after": "", "skip": 0, "registered": None, "window": window}
        reader = Reader.alone(pairs[-1].owner).parameters
        found = await profiled(graph.database, query("concepts/list"), page | reader)
        assert found.hits <= hits, str(found)
        assert not [step for step in found.steps if READS_ALL.search(step.operator)], str(found)
    counts = {"mailbox": pairs[-1].owner, "names": ["daily"], "most": 1_001}
    found = await profiled(graph.database, query("concepts/counts"), counts)
    assert [(row["entries"], row["unread"]) for row in found.rows] == [(1_001, 30)]
    assert found.hits <= 1_100, str(found)
