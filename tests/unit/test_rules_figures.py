"""Figures add up to the messages they are made of, and links to the same (issue 5: sender history; decision 0019)."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph.rules.figures import Answer, Fact, Figures, figures, ranked, series
from graph.rules.links import Measured, folded, projected
from graph.rules.periods import Bucket, Period, buckets

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WHOLE = Period(BEGIN, BEGIN + timedelta(days=100))
PEOPLE = ("@ada", "@bea", "@cy", "role:desk", "@all")

handles = st.sampled_from(PEOPLE[:3])
later = st.integers(-5, 10_000).map(lambda seconds: timedelta(seconds=seconds))


@st.composite
def mail(draw: st.DrawFn) -> list[Fact]:
    facts = []
    for number in range(draw(st.integers(0, 25))):
        at = BEGIN + timedelta(minutes=draw(st.integers(0, 100 * 24 * 60 - 1)))
        sender = draw(handles)
        answers = [Answer(who, at + draw(later)) for who in draw(st.lists(handles, max_size=4)) if who != sender]
        facts.append(
            Fact(
                id=f"msg_{number}",
                at=at,
                sender=sender,
                thread=draw(st.sampled_from(("thr_1", "thr_2"))),
                kind="MESSAGE",
                asks=draw(st.booleans()),
                tags=tuple(draw(st.sets(st.sampled_from("abc"), max_size=3))),
                recipients=tuple(sorted(draw(st.sets(st.sampled_from(PEOPLE), min_size=1)))),
                answers=tuple(sorted(answers, key=lambda answer: answer.at)),
                begins=draw(st.booleans()),
                ends=draw(st.booleans()),
                sessions=tuple(draw(st.sets(st.sampled_from(("ses_1", "ses_2"))))),
            )
        )
    return facts


def added(parts: Sequence[Figures]) -> Figures:
    total = Figures()
    for part in parts:
        total.sent += part.sent
        total.replies += part.replies
        total.unanswered += part.unanswered
        total.threads_started += part.threads_started
        total.threads_closed += part.threads_closed
        total.recipients += part.recipients
        total.tags += part.tags
        total.sessions += part.sessions
        total.memories += part.memories
        total.waits += part.waits
    total.waits.sort()
    return total


@given(mail(), st.sampled_from(Bucket))
def test_the_series_add_up_to_the_list(facts: list[Fact], bucket: Bucket) -> None:
    parts = buckets(WHOLE, bucket)
    counted = series(facts, parts)
    total = figures(facts)
    total.waits.sort()
    assert added(counted) == total
    for part, one in zip(parts, counted, strict=True):
        inside = [fact for fact in facts if fact.at in part]
        assert one.sent == len(inside)
        assert one.recipients == Counter(address for fact in inside for address in fact.recipients)
        assert one.tags == Counter(tag for fact in inside for tag in fact.tags)
        assert one.replies == sum(len(fact.answers) for fact in inside)
        assert one.unanswered == sum(
            fact.asks and not fact.answers and set(fact.recipients) != {fact.sender} for fact in inside
        )


@given(mail(), st.integers(0, 4))
def test_a_tally_loses_nothing(facts: list[Fact], most: int) -> None:
    counted = figures(facts).recipients
    rows, others = ranked(counted, most)
    assert len(rows) <= most
    assert sum(count for _, count in rows) + others == counted.total()
    assert rows == sorted(rows, key=lambda row: (-row[1], row[0]))


@given(mail())
def test_links_add_up_to_the_list(facts: list[Fact]) -> None:
    links = folded(facts)
    pairs = Counter((fact.sender, address) for fact in facts for address in fact.recipients if address != fact.sender)
    assert {(link.sender, link.recipient): link.messages for link in links} == pairs
    for link in links:
        between = [fact for fact in facts if fact.sender == link.sender and link.recipient in fact.recipients]
        asked = sum(fact.asks for fact in between)
        assert link.unanswered <= asked
        assert link.answered + link.unanswered <= link.messages
        assert len(link.threads) == len({fact.thread for fact in between})


@given(mail(), st.sampled_from(Measured), st.integers(1, 5), st.integers(1, 8))
def test_a_projection_keeps_the_heaviest(facts: list[Fact], by: Measured, nodes: int, most: int) -> None:
    links = folded(facts)
    kept = projected(links, by, nodes, most)
    names = {node.address for node in kept.nodes}
    assert len(names) <= nodes
    assert len(kept.links) <= most
    assert all({link.sender, link.recipient} <= names for link in kept.links)
    left = [one for one in links if one not in kept.links and {one.sender, one.recipient} <= names]
    assert all(one.weight(by) <= link.weight(by) for one in left for link in kept.links)
    assert kept.truncated == (len(kept.links) < len(links))


def fact(asks: bool, recipients: Sequence[str], *answers: tuple[str, int]) -> Fact:
    given_ = tuple(Answer(who, BEGIN + timedelta(seconds=seconds)) for who, seconds in answers)
    return Fact("msg_1", BEGIN, "@ada", "thr_1", "MESSAGE", asks, recipients=tuple(recipients), answers=given_)


def test_each_of_those_asked_owes_an_answer() -> None:
    """One who answered does not answer for the others; of a role whoever is first does."""
    to_two = fact(True, ["@bea", "@cy"], ("@bea", 60), ("@bea", 90))
    assert not to_two.unanswered
    assert [(link.recipient, link.answered, link.unanswered) for link in folded([to_two])] == [
        ("@bea", 1, 0),
        ("@cy", 0, 1),
    ]
    (desk,) = folded([fact(True, ["role:desk"], ("@cy", 30))])
    assert (desk.answered, desk.unanswered, desk.median_response_seconds) == (1, 0, 30)


def test_a_note_to_oneself_asks_nobody() -> None:
    assert not fact(True, ["@ada"]).unanswered
    assert folded([fact(True, ["@ada"])]) == []


def test_an_answer_dated_before_the_question_has_no_response_time() -> None:
    early = fact(True, ["@bea"], ("@bea", -5))
    assert (early.unanswered, early.response_seconds) == (False, None)
    (link,) = folded([early])
    assert (link.answered, link.median_response_seconds) == (1, None)


def test_the_median_is_of_first_answers() -> None:
    counted = figures([fact(True, ["@bea"], ("@bea", 10), ("@cy", 1000)), fact(False, ["@bea"], ("@bea", 20))])
    assert (counted.replies, counted.median_response_seconds) == (3, 15)
    assert figures([]).median_response_seconds is None
