"""States of a mailbox: what it means that a client is behind, ahead, too old, or exactly there (DESIGN §3.3)."""

from dataclasses import dataclass

from graph.errors import RefusalCode, Refused


@dataclass(frozen=True, slots=True)
class State:
    """How far somebody has followed a mailbox: he knows every change up to ``modseq``.

    ``uid_next`` is not above the mailbox's at that time: entries from it on are new to him, entries below it changed.
    """

    modseq: int
    uid_next: int


@dataclass(frozen=True, slots=True)
class Position:
    """How far a mailbox is. Of what was deleted at or before ``floor``, no change tells any more."""

    modseq: int
    uid_next: int
    floor: int = 0

    @property
    def state(self) -> State:
        """The state of whoever knows all of it."""
        return State(self.modseq, self.uid_next)


def check_reached(state: State, position: Position, field: str) -> None:
    """Raise Refused with STATE_AHEAD for a state that the mailbox never had."""
    if state.modseq > position.modseq or state.uid_next > position.uid_next:
        raise Refused(
            RefusalCode.STATE_AHEAD,
            f"{field} is a state that this mailbox has not reached; it may have been restored from a backup. "
            "Forget what you keep and begin with the state of an inbox page.",
            field=field,
        )


def check_followable(state: State, position: Position, field: str) -> None:
    """Raise Refused with STATE_AHEAD, or with STATE_TOO_OLD for one from which changes do not lead to the present."""
    check_reached(state, position, field)
    if state.modseq < position.floor:
        raise Refused(
            RefusalCode.STATE_TOO_OLD,
            f"{field} is older than what was deleted from this mailbox since; "
            "forget what you keep and begin with the state of an inbox page.",
            field=field,
        )


def check_unchanged(state: State | None, position: Position, field: str) -> None:
    """Raise Refused with STATE_MISMATCH when a state was named and the mailbox is not in it."""
    if state is not None and state.modseq != position.modseq:
        raise Refused(
            RefusalCode.STATE_MISMATCH,
            f"{field} is not the state of the mailbox any more, and nothing was changed; "
            "read the changes since, decide again, and name the new state.",
            field=field,
        )
