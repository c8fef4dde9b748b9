"""Who may move a task from which state to which: every combination, and every sequence (DESIGN §4, issue 4)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.rules.tasks import (
    OPEN,
    TERMINAL,
    TRANSITIONS,
    Actor,
    Change,
    Party,
    Standing,
    TaskState,
    decide,
    first_assignee,
    parties,
    past_due,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ADA, BEA, HAL, CY = "@ada", "@bea", "@hal", "@cy"
ASSIGNED = Standing(TaskState.SUBMITTED, ADA, BEA, offered=False, expires_at=None)
HUMANE = replace(ASSIGNED, assignee=HAL)
UNCLAIMED = replace(ASSIGNED, assignee=None, offered=True)
CLAIMED = replace(ASSIGNED, offered=True)
ORIGINATOR, ASSIGNEE = Actor(ADA, received=False, human=False), Actor(BEA, received=True, human=False)
HUMAN, RECIPIENT = Actor(HAL, received=True, human=True), Actor(CY, received=True, human=False)
ONLOOKER = Actor("@dot", received=False, human=False)

# The table of the issue, told once more in another form: FROM>TO of each party.
ORIGINATORS = {
    *("SUBMITTED>CANCELED", "WORKING>CANCELED", "INPUT_REQUIRED>WORKING", "INPUT_REQUIRED>CANCELED"),
    *("AUTH_REQUIRED>WORKING", "AUTH_REQUIRED>CANCELED", "BLOCKED>CANCELED"),
}
ASSIGNEES = {
    *("SUBMITTED>WORKING", "SUBMITTED>REJECTED", "WORKING>INPUT_REQUIRED", "WORKING>AUTH_REQUIRED", "WORKING>BLOCKED"),
    *("WORKING>COMPLETED", "WORKING>FAILED", "BLOCKED>WORKING", "BLOCKED>FAILED"),
}
HUMANS = ASSIGNEES | {"INPUT_REQUIRED>WORKING", "INPUT_REQUIRED>COMPLETED"}
EXPIRIES = {f"{state}>EXPIRED" for state in TaskState if state in OPEN}
WHO = {
    "originator": (ASSIGNED, ORIGINATOR, ORIGINATORS),
    "assignee": (ASSIGNED, ASSIGNEE, ASSIGNEES),
    "human assignee": (HUMANE, HUMAN, HUMANS),
    "originator and assignee": (replace(ASSIGNED, assignee=ADA), ORIGINATOR, ORIGINATORS | ASSIGNEES),
    "claimant": (UNCLAIMED, RECIPIENT, {"SUBMITTED>WORKING"}),
    "originator of an unclaimed task": (UNCLAIMED, replace(ORIGINATOR, received=True), ORIGINATORS),
    "another recipient": (ASSIGNED, RECIPIENT, set()),
    "recipient after the claim": (CLAIMED, RECIPIENT, set()),
    "claimant who has it": (CLAIMED, ASSIGNEE, ASSIGNEES),
    "onlooker": (UNCLAIMED, ONLOOKER, set()),
}
LATE = {"claimant", "recipient after the claim"}
EVERY = ORIGINATORS | HUMANS | EXPIRIES


def outcome(task: Standing, who: Actor, to: TaskState, expected: TaskState | None = None) -> Change | RefusalCode:
    try:
        return decide(task, who, to, expected)
    except Refused as refused:
        return refused.refusal


def test_the_table_is_that_of_the_issue() -> None:
    told = {f"{before}>{after}" for before, after in TRANSITIONS}
    assert told == EVERY
    assert {before for before, _ in TRANSITIONS} == OPEN
    assert {"EXPIRED"} == {after for (_, after), who in TRANSITIONS.items() if Party.CLOCK in who}


@pytest.mark.parametrize("party", WHO)
def test_every_state_to_every_state_by_everybody(party: str) -> None:
    kind, who, may = WHO[party]
    for before, after in product(TaskState, TaskState):
        # What is claimed at all has an assignee from then on.
        holder = BEA if party == "claimant" and before not in {TaskState.SUBMITTED, TaskState.CANCELED} else None
        task = replace(kind, state=before, assignee=kind.assignee or holder)
        asked, found = f"{before}>{after}", outcome(task, who, after)
        wanted: Change | RefusalCode
        if asked in may:
            wanted = Change(after, who.handle if party == "claimant" else task.assignee)
        elif party in LATE and before is not TaskState.SUBMITTED and after is TaskState.WORKING:
            wanted = RefusalCode.STATE_MISMATCH  # Too late to claim it.
        elif asked in EVERY or not parties(task, who):
            wanted = RefusalCode.FORBIDDEN
        else:
            wanted = RefusalCode.CONFLICT
        assert found == wanted, asked


def test_who_may_comes_before_what_is_expected_and_that_before_the_table() -> None:
    working = replace(ASSIGNED, state=TaskState.WORKING)
    completed, submitted = TaskState.COMPLETED, TaskState.SUBMITTED
    assert outcome(working, ORIGINATOR, completed, TaskState.WORKING) is RefusalCode.FORBIDDEN
    assert outcome(working, ORIGINATOR, TaskState.WORKING, submitted) is RefusalCode.FORBIDDEN
    assert outcome(working, RECIPIENT, completed, submitted) is RefusalCode.FORBIDDEN
    assert outcome(working, ASSIGNEE, TaskState.WORKING, submitted) is RefusalCode.STATE_MISMATCH
    assert outcome(working, ASSIGNEE, completed, submitted) is RefusalCode.STATE_MISMATCH
    assert outcome(working, ASSIGNEE, submitted, TaskState.WORKING) is RefusalCode.CONFLICT
    assert outcome(working, ASSIGNEE, completed, TaskState.WORKING) == Change(completed, BEA)


def test_a_claim_has_one_winner_and_the_others_are_told_who() -> None:
    assert outcome(UNCLAIMED, RECIPIENT, TaskState.WORKING, TaskState.SUBMITTED) == Change(TaskState.WORKING, CY)
    taken = replace(CLAIMED, state=TaskState.WORKING)
    with pytest.raises(Refused, match="@bea has it") as refused:
        decide(taken, RECIPIENT, TaskState.WORKING, TaskState.SUBMITTED)
    assert refused.value.refusal is RefusalCode.STATE_MISMATCH
    # Whoever says that he expects another state does not mean to claim.
    assert outcome(taken, RECIPIENT, TaskState.WORKING, TaskState.BLOCKED) is RefusalCode.FORBIDDEN


def test_nobody_rejects_what_nobody_has_and_nobody_claims_his_own() -> None:
    assert outcome(UNCLAIMED, RECIPIENT, TaskState.REJECTED) is RefusalCode.FORBIDDEN
    assert outcome(UNCLAIMED, replace(ORIGINATOR, received=True), TaskState.WORKING) is RefusalCode.FORBIDDEN


def test_a_refusal_says_who_may_do_what() -> None:
    with pytest.raises(Refused) as refused:
        decide(replace(ASSIGNED, state=TaskState.BLOCKED), RECIPIENT, TaskState.CANCELED, None)
    assert refused.value.message == (
        "to CANCELED: that is not yours to do. From BLOCKED: the originator to CANCELED; "
        "the assignee to WORKING, FAILED; the clock to EXPIRED."
    )


@pytest.mark.parametrize(
    ("to", "assignee"),
    [(("@bea",), "@bea"), (("@bea", "@cy"), None), (("@all",), None), (("role:reviewer",), None), ((), None)],
)
def test_one_identity_has_a_task_from_the_start(to: tuple[str, ...], assignee: str | None) -> None:
    assert first_assignee(to) == assignee


@pytest.mark.parametrize("state", TaskState)
def test_the_clock_ends_open_tasks_alone(state: TaskState) -> None:
    task = replace(ASSIGNED, state=state, expires_at=NOW)
    assert past_due(task, NOW) is (state in OPEN)
    assert not past_due(task, NOW - timedelta(milliseconds=1))
    assert not past_due(replace(task, expires_at=None), NOW)


steps = st.tuples(
    st.sampled_from([ORIGINATOR, ASSIGNEE, HUMAN, RECIPIENT, ONLOOKER]),
    st.sampled_from(TaskState),
    st.sampled_from([None, *TaskState]),
)


@given(st.sampled_from([ASSIGNED, HUMANE, UNCLAIMED]), st.lists(steps, max_size=40))
def test_whatever_is_tried_a_task_that_ended_stays_and_keeps_its_assignee(
    task: Standing, tried: list[tuple[Actor, TaskState, TaskState | None]]
) -> None:
    for who, to, expected in tried:
        found = outcome(task, who, to, expected)
        if isinstance(found, RefusalCode):
            continue
        assert task.state not in TERMINAL
        assert expected in {None, task.state}
        assert (task.state, found.to) in TRANSITIONS
        assert found.to not in {TaskState.EXPIRED, TaskState.UNKNOWN, TaskState.SUBMITTED}
        assert found.assignee == task.assignee or (task.assignee is None and found.assignee == who.handle != ADA)
        task = replace(task, state=found.to, assignee=found.assignee)
