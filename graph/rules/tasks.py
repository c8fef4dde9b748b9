"""The life of a task: its states, who may move it from one to the next, and when the clock ends it (DESIGN §4).

The states are those of A2A, with BLOCKED and EXPIRED. A task begins SUBMITTED and ends in a terminal state, which
nobody leaves. Who may do what is ``TRANSITIONS``, and nothing else is a transition:

============== ======================= ============================================================================
from           the originator may      the assignee may
============== ======================= ============================================================================
SUBMITTED      CANCELED                WORKING, REJECTED
WORKING        CANCELED                INPUT_REQUIRED, AUTH_REQUIRED, BLOCKED, COMPLETED, FAILED
INPUT_REQUIRED WORKING, CANCELED       nothing, for it is the originator who is waited for; a human WORKING, COMPLETED
AUTH_REQUIRED  WORKING, CANCELED       nothing
BLOCKED        CANCELED                WORKING, FAILED
============== ======================= ============================================================================

A task for one identity has it as its assignee from the start. Any other task (several recipients, a role, everybody) is
unclaimed: whoever of its recipients first takes it from SUBMITTED to WORKING is its assignee from then on. UNKNOWN is
the state of a task whose real one was lost; no transition leads to it. The clock may end any open task as EXPIRED.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graph.errors import RefusalCode, Refused
from graph.rules.addresses import EVERYONE

#: Who moves a task when nobody does: the clock.
SYSTEM = "SYSTEM"


class TaskState(StrEnum):
    """Where a task stands, in A2A's words."""

    SUBMITTED = "SUBMITTED"
    WORKING = "WORKING"
    INPUT_REQUIRED = "INPUT_REQUIRED"
    AUTH_REQUIRED = "AUTH_REQUIRED"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"
    CANCELED = "CANCELED"
    FAILED = "FAILED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"
    UNKNOWN = "UNKNOWN"


S = TaskState
TERMINAL = frozenset({S.COMPLETED, S.CANCELED, S.FAILED, S.REJECTED, S.EXPIRED})
OPEN = frozenset(TaskState) - TERMINAL


class Party(StrEnum):
    """What somebody is to a task. A human assignee is an assignee too; a claimant could become one."""

    ORIGINATOR = "the originator"
    ASSIGNEE = "the assignee"
    HUMAN_ASSIGNEE = "a human assignee"
    CLAIMANT = "any recipient"
    CLOCK = "the clock"


#: Who may take a task from one state to another. What is not here is no transition.
TRANSITIONS: Mapping[tuple[TaskState, TaskState], frozenset[Party]] = {
    (S.SUBMITTED, S.CANCELED): frozenset({Party.ORIGINATOR}),
    (S.SUBMITTED, S.WORKING): frozenset({Party.ASSIGNEE, Party.CLAIMANT}),
    (S.SUBMITTED, S.REJECTED): frozenset({Party.ASSIGNEE}),
    (S.WORKING, S.CANCELED): frozenset({Party.ORIGINATOR}),
    (S.WORKING, S.INPUT_REQUIRED): frozenset({Party.ASSIGNEE}),
    (S.WORKING, S.AUTH_REQUIRED): frozenset({Party.ASSIGNEE}),
    (S.WORKING, S.BLOCKED): frozenset({Party.ASSIGNEE}),
    (S.WORKING, S.COMPLETED): frozenset({Party.ASSIGNEE}),
    (S.WORKING, S.FAILED): frozenset({Party.ASSIGNEE}),
    (S.INPUT_REQUIRED, S.WORKING): frozenset({Party.ORIGINATOR, Party.HUMAN_ASSIGNEE}),
    (S.INPUT_REQUIRED, S.COMPLETED): frozenset({Party.HUMAN_ASSIGNEE}),
    (S.INPUT_REQUIRED, S.CANCELED): frozenset({Party.ORIGINATOR}),
    (S.AUTH_REQUIRED, S.WORKING): frozenset({Party.ORIGINATOR}),
    (S.AUTH_REQUIRED, S.CANCELED): frozenset({Party.ORIGINATOR}),
    (S.BLOCKED, S.CANCELED): frozenset({Party.ORIGINATOR}),
    (S.BLOCKED, S.WORKING): frozenset({Party.ASSIGNEE}),
    (S.BLOCKED, S.FAILED): frozenset({Party.ASSIGNEE}),
    **{(state, S.EXPIRED): frozenset({Party.CLOCK}) for state in sorted(OPEN)},
}


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """What a sender says of the task that a message carries."""

    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A task as it stands under its lock. ``offered``: it was sent to be claimed, whoever has claimed it since."""

    state: TaskState
    originator: str
    assignee: str | None
    offered: bool
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Actor:
    """Who wants to move a task. ``received``: its message was delivered to him, or to a queue that he works on."""

    handle: str
    received: bool
    human: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A transition that may happen: where to, and whose task it is from then on."""

    to: TaskState
    assignee: str | None


def first_assignee(to: Sequence[str]) -> str | None:
    """Return who has a new task from the start: its one To address, if that is an identity; Cc is for information."""
    if len(to) == 1 and to[0].startswith("@") and to[0] != EVERYONE:
        return to[0]
    return None


def parties(task: Standing, who: Actor) -> frozenset[Party]:
    """Return what somebody is to a task; nothing for one who may only look on."""
    found = set()
    if who.handle == task.originator:
        found.add(Party.ORIGINATOR)
    if who.handle == task.assignee:
        found.add(Party.ASSIGNEE)
        if who.human:
            found.add(Party.HUMAN_ASSIGNEE)
    if _may_claim(task, who) and task.assignee is None:
        found.add(Party.CLAIMANT)
    return frozenset(found)


def past_due(task: Standing, now: datetime) -> bool:
    """Tell whether the clock must end the task."""
    return task.state in OPEN and task.expires_at is not None and task.expires_at <= now


def decide(task: Standing, who: Actor, to: TaskState, expected: TaskState | None) -> Change:
    """Return the change, when ``who`` may do it from the state that is there.

    Who may do it comes first, then whether the task is in the state ``expected``, then whether there is such a
    transition. Raises Refused with FORBIDDEN, STATE_MISMATCH (also for whoever lost the race to claim) or CONFLICT.
    """
    seen = expected or task.state
    own, allowed = parties(task, who), TRANSITIONS.get((seen, to), frozenset())
    if _claims_too_late(task, who, to, expected):
        holder = "nobody has it" if task.assignee is None else f"{task.assignee} has it"
        raise Refused(
            RefusalCode.STATE_MISMATCH,
            f"to {to}: the task can be claimed no more; it is {task.state}, and {holder}.",
            field="to",
        )
    if not own or (allowed and not allowed & own):
        raise Refused(RefusalCode.FORBIDDEN, f"to {to}: that is not yours to do. {_ways(task.state)}", field="to")
    if seen is not task.state:
        raise Refused(
            RefusalCode.STATE_MISMATCH,
            f"expected {seen}: the task is {task.state} now. Look at it again, and decide anew.",
            field="expected",
        )
    if not allowed:
        raise Refused(RefusalCode.CONFLICT, f"to {to}: no task goes there from {seen}. {_ways(seen)}", field="to")
    claims = Party.CLAIMANT in allowed & own
    return Change(to, who.handle if claims else task.assignee)


def _may_claim(task: Standing, who: Actor) -> bool:
    return task.offered and who.received and who.handle != task.originator


def _claims_too_late(task: Standing, who: Actor, to: TaskState, expected: TaskState | None) -> bool:
    claims = to is S.WORKING and expected in {None, S.SUBMITTED} and who.handle != task.assignee
    return claims and _may_claim(task, who) and task.state is not S.SUBMITTED


def _ways(state: TaskState) -> str:
    """Say who may take a task where from a state."""
    if state in TERMINAL:
        return f"{state} is final."
    ways = [
        f"{party.value} to {_listed(to for (seen, to), who in TRANSITIONS.items() if seen is state and party in who)}"
        for party in Party
        if any(seen is state and party in who for (seen, _), who in TRANSITIONS.items())
    ]
    return f"From {state}: {'; '.join(ways)}."


def _listed(states: Iterable[TaskState]) -> str:
    return ", ".join(states)
