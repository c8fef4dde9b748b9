"""How a thread stands: roots, heads and whose reply is awaited, compared with the rule said plainly (decision 0016)."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from graph.rules.standing import Asked, Awaited, Rebuilt, awaited, heads, questions, roots
from graph.rules.threads import Member, rebuild
from tests.unit.forests import PEOPLE, START, forests, member


def _rebuilt(members: Sequence[Member]) -> Rebuilt:
    return Rebuilt(rebuild(members), {one.id: one for one in members if one.visible}, complete=True)


def _below(members: Sequence[Member], question: Member) -> list[Member]:
    """Return everything below a message, seen or not, by looking up from each."""
    known = {one.id: one for one in members}
    found = []
    for one in members:
        here: Member | None = known.get(one.parent or "")
        while here is not None and here.id != question.id:
            here = known.get(here.parent or "")
        if here is not None:
            found.append(one)
    return found


@given(forests())
def test_nothing_that_is_seen_is_above_a_root_or_below_a_head(members: list[Member]) -> None:
    thread = _rebuilt(members)
    below = {one.id: {under.id for under in _below(members, one) if under.visible} for one in members if one.visible}
    has_above = set().union(*below.values())
    oldest_first = sorted((one for one in members if one.visible), key=lambda one: (one.created_at, one.id))
    assert roots(thread) == [one for one in oldest_first if one.id not in has_above]
    assert heads(thread) == [one for one in oldest_first[::-1] if not below[one.id]]


@given(forests(), st.data())
def test_who_is_asked_is_awaited_until_he_says_something_below(members: list[Member], data: st.DataObject) -> None:
    thread = _rebuilt(members)
    expected: dict[str, Awaited] = {}
    asked = []
    for question in questions(thread):
        agents = tuple(sorted(data.draw(st.sets(st.sampled_from(PEOPLE)))))
        elsewhere = data.draw(st.frozensets(st.sampled_from(PEOPLE), max_size=1))
        asked.append((question, Asked(agents, elsewhere)))
        said = {one.sender for one in _below(members, question) if one.visible} | elsewhere
        for agent in agents:
            if agent not in said and agent != question.sender:
                expected.setdefault(agent, Awaited(agent, question.id, question.created_at))
    assert awaited(thread, asked) == list(expected.values())


def test_an_answer_to_an_answer_is_an_answer_and_one_beside_it_is_not() -> None:
    thread = _rebuilt(
        [
            member("q", sender="@ada", asks=True),
            member("a", "q", at=1, sender="@bea"),
            member("b", "a", at=2, sender="@cy"),
            member("later", at=3, sender="@dot"),
        ]
    )
    asked = [(thread.members["q"], Asked(("@bea", "@cy", "@dot")))]
    assert awaited(thread, asked) == [Awaited("@dot", "q", START)]


def test_a_chain_of_ten_thousand_questions_needs_no_recursion() -> None:
    """Each asks the next one, and the last question stays open."""
    many = 10_000
    members = [
        member(f"{n:05}", f"{n - 1:05}" if n else None, at=n, sender=PEOPLE[n % 2], asks=True) for n in range(many)
    ]
    thread = _rebuilt(members)
    asked = [(one, Asked((PEOPLE[(int(one.id) + 1) % 2],))) for one in questions(thread)]
    assert [one.message for one in awaited(thread, asked)] == [f"{many - 1:05}"]
    assert [one.id for one in heads(thread)] == [f"{many - 1:05}"]
