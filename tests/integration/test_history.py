"""Sender history against the list behind it, for mail that hypothesis made up (issue 5; decision 0019)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph import correspondence, messages
from graph.autotagging import AutoTagger
from graph.bootstrap import Graph
from graph.correspondence import ConversationFilter, conversation, correspondence_of_ticket, total_of_ticket
from graph.history import History, history_page, sender_history
from graph.ontology import define_concept
from graph.readers import Reader
from graph.records import MessageCard
from graph.retrospectives import of_concept
from graph.rules.figures import figures, series
from graph.rules.ontology import ConceptInput
from graph.rules.periods import Bucket, Period, buckets
from graph.rules.retrospectives import ItemKind
from tests.support import Agents, Fields

DAYS = 60


@dataclass(frozen=True)
class Letter:
    """A letter of one of three people to some of them, so many hours ago; ``answers`` is the place of one before."""

    who: int
    to: frozenset[int]
    hours: int
    asks: bool
    tags: tuple[str, ...]
    answers: int | None


letters = st.lists(
    st.builds(
        Letter,
        who=st.integers(0, 2),
        to=st.frozensets(st.integers(0, 2), min_size=1),
        hours=st.integers(1, DAYS * 24 - 1),
        asks=st.booleans(),
        tags=st.sets(st.sampled_from(("tide", "wind", "moon"))).map(lambda tags: tuple(sorted(tags))),
        answers=st.none() | st.integers(0, 20),
    ),
    min_size=1,
    max_size=14,
)


async def posted(agents: Agents, people: Sequence[str], story: Sequence[Letter]) -> dict[str, Letter]:
    """Send the letters, the oldest first, and return them by id; an answer to what one cannot see is none."""
    sent: dict[str, Letter] = {}
    for letter in sorted(story, key=lambda one: -one.hours):
        seen = [id_ for id_, one in sent.items() if letter.who in {one.who, *one.to}]
        said: Fields = {"expects_reply": letter.asks, "tags": letter.tags}
        if letter.answers is not None and letter.answers < len(seen):
            said["in_reply_to"] = seen[letter.answers]
        then = agents.ago(timedelta(hours=letter.hours))
        sent[await then.send(people[letter.who], *(people[one] for one in letter.to), **said)] = letter
    return sent


async def listed(graph: Graph, reader: Reader, sender: str, whole: Period) -> list[MessageCard]:
    cards: list[MessageCard] = []
    page = await history_page(graph.database, reader, sender, whole, 3, None)
    cards += page.items
    while page.has_next:
        page = await history_page(graph.database, reader, sender, whole, 3, page.end)
        cards += page.items
    return cards


@given(story=letters, bucket=st.sampled_from(Bucket))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
async def test_series_add_up_to_the_list_behind_them(
    story: list[Letter], bucket: Bucket, graph: Graph, agents: Agents
) -> None:
    people = await agents("ada", "bea", "cy")
    sent = await posted(agents, people, story)
    now = graph.clock.now()
    whole = Period(now - timedelta(days=DAYS), now)
    for place, who in enumerate(people):
        for reader in (Reader.alone(who), replace(Reader.alone(who), everything=True)):
            for author, sender in enumerate(people):
                history = await sender_history(graph.database, reader, sender, whole)
                cards = await listed(graph, reader, sender, whole)
                wanted = {
                    id_
                    for id_, one in sent.items()
                    if one.who == author and (reader.everything or place in {author, *one.to})
                }
                assert {fact.id for fact in history.facts} == wanted
                if not reader.everything:
                    assert [fact.id for fact in history.facts] == [card.id for card in cards]
                    await _adds_up(graph, reader, history, cards, bucket)


async def _adds_up(
    graph: Graph, reader: Reader, history: History, cards: Sequence[MessageCard], bucket: Bucket
) -> None:
    ids = [card.id for card in cards]
    addressees = await messages.recipients(graph.database, ids)
    replies = await messages.replies(graph.database, reader, ids, 100, None)
    by_others = {card.id: sum(one.sender != card.sender for one in replies[card.id].items) for card in cards}
    parts = buckets(history.counted, bucket)
    counted = series(history.facts, parts)
    for part, one in zip(parts, counted, strict=True):
        inside = [card for card in cards if card.created_at in part]
        assert one.sent == len(inside)
        assert one.tags == Counter(tag for card in inside for tag in card.tags)
        assert one.recipients == Counter(to.address for card in inside for to in addressees[card.id])
        assert one.replies == sum(by_others[card.id] for card in inside)
        assert one.unanswered == sum(
            card.expects_reply
            and not by_others[card.id]
            and {to.address for to in addressees[card.id]} != {card.sender}
            for card in inside
        )
    total = figures(history.facts)
    assert sum(one.sent for one in counted) == total.sent == len(cards)
    assert sum(one.threads_started for one in counted) == total.threads_started
    assert sum(one.threads_closed for one in counted) == total.threads_closed


async def test_the_parts_of_a_capped_history_are_the_whole(graph: Graph, agents: Agents) -> None:
    """What stopped counting says where, and going on from there counts the rest, each message once."""
    ada, bea = await agents("ada", "bea")
    sent = [await agents.ago(timedelta(minutes=90 - number // 3)).send(ada, bea) for number in range(9)]
    now = graph.clock.now()
    whole = Period(now - timedelta(days=1), now)
    for reader in (Reader.alone(ada), Reader.alone(bea), Reader(bea, (bea,), everything=True)):
        left, steps = whole, 0
        found: list[str] = []
        while True:
            history = await sender_history(graph.database, reader, ada, left, most=4)
            found += [fact.id for fact in history.facts]
            steps += 1
            if not history.capped:
                break
            assert left.since < history.counted.until < whole.until
            left = Period(history.counted.until, whole.until)
        assert found == sorted(sent)
        assert steps > 1


async def test_a_conversation_is_of_what_its_reader_sees(graph: Graph, agents: Agents) -> None:
    """The same mail as its sender, a recipient, a stranger and an analyst count it, in steps of any size."""
    ada, bea, cy, dot = await agents("ada", "bea", "cy", "dot")
    asked = await agents.ago(timedelta(hours=3)).send(ada, bea, cc=(cy,), expects_reply=True)
    await agents.ago(timedelta(hours=2)).reply(bea, asked)
    await agents.ago(timedelta(hours=1)).send(cy, bea)
    now = graph.clock.now()
    chosen = ConversationFilter(Period(now - timedelta(days=1), now), among=(ada, bea, cy))

    async def seen(reader: Reader, most: int = 10_000) -> list[tuple[str, str, int, int]]:
        found = await conversation(graph.database, reader, chosen, most)
        return [(link.sender, link.recipient, link.messages, link.unanswered) for link in found.links]

    mine = [(ada, bea, 1, 0), (ada, cy, 1, 1), (bea, ada, 1, 0)]
    assert await seen(Reader.alone(ada)) == mine
    assert await seen(Reader.alone(bea)) == [*mine, (cy, bea, 1, 0)]
    # Who did not get the answer does not know of it.
    assert await seen(Reader.alone(cy)) == [(ada, bea, 1, 1), (ada, cy, 1, 1), (cy, bea, 1, 0)]
    assert await seen(Reader.alone(dot)) == []
    assert await seen(Reader(dot, (dot,), everything=True)) == [*mine, (cy, bea, 1, 0)]
    thread = (await agents.entries(bea))[-1].message.thread
    for who, one in ((bea, mine), (cy, [(ada, bea, 1, 1), (ada, cy, 1, 1)]), (dot, [])):
        found = await conversation(graph.database, Reader.alone(who), replace(chosen, thread=thread))
        assert [(link.sender, link.recipient, link.messages, link.unanswered) for link in found.links] == one
    # In steps from the newest on, each message counts once, whoever asks and by whatever index.
    analyst = Reader(dot, (dot,), everything=True)
    for reader, asked_of in ((Reader.alone(bea), chosen), (analyst, chosen), (analyst, replace(chosen, thread=thread))):
        whole = await conversation(graph.database, reader, asked_of)
        left, counted, steps = asked_of, 0, 0
        while True:
            part = await conversation(graph.database, reader, left, 1)
            counted += part.messages
            steps += 1
            if not part.capped:
                break
            left = replace(left, period=Period(left.period.since, part.counted.since))
        assert (counted, steps > 1) == (whole.messages, True)


async def test_a_concept_on_more_than_is_read_is_looked_for_by_time(graph: Graph, agents: Agents) -> None:
    """The newest of the period then, and going back from there finds the rest, each once; automatic tags are none."""
    ada, bea = await agents("ada", "bea")
    lamp = f"lamp-{ada[-6:]}"
    await define_concept(graph.database, graph.clock, ConceptInput(lamp), graph.limits)
    # In a time of their own: whatever everybody sent in the period is looked through.
    age = timedelta(days=2_000)
    found_by_text = await agents.ago(age).send(ada, bea, body_text=f"No {lamp}.")
    await AutoTagger(graph.database, graph.limits).tag([found_by_text])
    tagged = []
    for number in range(8):
        then = agents.ago(age + timedelta(hours=20 - number))
        tagged.append(await then.send(ada, bea, tags=(lamp,)))
        await then.send(ada, bea, tags=("other",))
    memory = await agents.ago(age).remember(ada, tags=(lamp,))
    now = graph.clock.now() - age
    whole = Period(now - timedelta(days=1), now)
    for reader, kept in (
        (Reader.alone(ada), [memory]),
        (Reader.alone(bea), []),
        (Reader(bea, (bea,), everything=True), [memory]),
    ):
        of = await of_concept(graph.database, reader, lamp, whole, ())
        assert ([item.target for item in of.items], of.capped) == ([*tagged, *kept], False)
        left, back, steps = whole, list[str](), 0
        while True:
            part = await of_concept(graph.database, reader, lamp, left, (), most=7)
            back = [item.target for item in part.items if item.kind is ItemKind.MESSAGE] + back
            steps += 1
            if not part.capped:
                break
            left = Period(left.since, part.counted.since)
        assert (back, steps > 1) == (tagged, True)


async def test_of_a_ticket_in_steps(graph: Graph, agents: Agents, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little one query reads, and however short the pages are, each message comes once and in order."""
    ada, bea, cy = await agents("ada", "bea", "cy")
    ticket = f"{ada[1:]}#1"
    roots = [await agents.send(ada, bea, tickets=(ticket,)) for _ in range(3)]
    wanted = list(roots)
    for root in roots * 2:
        await agents.send(ada, cy, in_reply_to=root)
        wanted.append(await agents.reply(bea, root))
    monkeypatch.setattr(correspondence, "SCAN_WINDOW", 2)
    monkeypatch.setattr(correspondence, "SCAN_MOST", 4)
    whole = Period(graph.clock.now() - timedelta(days=1), graph.clock.now() + timedelta(days=1))
    for reader in (Reader.alone(bea), Reader(cy, (cy,), everything=True)):
        for first in (1, 2, 100):
            found, after, more = list[str](), None, True
            while more:
                page = await correspondence_of_ticket(graph.database, reader, (ada, bea), ticket, whole, first, after)
                found += [card.id for card in page.items]
                after, more = page.end, page.has_next
            assert found == wanted
        total = await total_of_ticket(graph.database, reader, (ada, bea), ticket, whole)
        assert (total.count, total.capped) == (len(wanted), False)
