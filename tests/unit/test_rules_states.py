"""States: behind is fine, ahead and too old are told apart (DESIGN §3.3; LESSONS 13), and what a token may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.relay import encode_cursor
from api.states import MOST, decode_state, encode_state
from graph.errors import RefusalCode, Refused
from graph.rules.states import Position, State, check_followable, check_reached, check_unchanged

counts = st.integers(0, 50)
states = st.builds(State, counts, st.integers(1, 50))
positions = st.builds(Position, counts, st.integers(1, 50), counts)


def code_of(check: object, *arguments: object) -> RefusalCode | None:
    assert callable(check)
    try:
        check(*arguments, "since")
    except Refused as refused:
        return refused.refusal if refused.field == "since" else None
    return None


@given(state=states, position=positions)
def test_a_state_is_ahead_too_old_or_followable(state: State, position: Position) -> None:
    ahead = state.modseq > position.modseq or state.uid_next > position.uid_next
    assert code_of(check_reached, state, position) is (RefusalCode.STATE_AHEAD if ahead else None)
    expected = RefusalCode.STATE_TOO_OLD if not ahead and state.modseq < position.floor else None
    assert code_of(check_followable, state, position) is (RefusalCode.STATE_AHEAD if ahead else expected)


@given(position=positions)
def test_who_knows_everything_can_go_on_from_there(position: Position) -> None:
    if position.floor <= position.modseq:
        assert code_of(check_followable, position.state, position) is None


@given(state=states, position=positions)
def test_only_the_same_state_is_unchanged(state: State, position: Position) -> None:
    mismatch = None if state.modseq == position.modseq else RefusalCode.STATE_MISMATCH
    assert code_of(check_unchanged, state, position) is mismatch
    assert code_of(check_unchanged, None, position) is None


@given(state=st.builds(State, st.integers(0, MOST), st.integers(1, MOST)))
def test_a_token_is_the_state_of_one_mailbox(state: State) -> None:
    token = encode_state("@ada", state)
    assert decode_state("@ada", token, "since") == state
    with pytest.raises(Refused) as refused:
        decode_state("@bea", token, "since")
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.STATE_OF_ANOTHER_MAILBOX, "since")


@pytest.mark.parametrize(
    "token",
    [
        "",
        "0",
        "null",
        "\ud800",
        "state",
        "a" * 100_000,
        encode_cursor("inbox:@ada", 7),
        encode_cursor("sent:@ada", 7, "msg_01h2xcejqtf2nbrexx3vqjhp41"),
        encode_cursor("state:@ada", 7, 7, 7),
        encode_state("@ada", State(-1, 1)),
        encode_state("@ada", State(1, 0)),
        encode_state("@ada", State(MOST + 1, 1)),
        encode_state("@ada", State(True, 1)),
        encode_state("@ada", State(1, 1))[:-3],
    ],
)
def test_anything_else_is_malformed(token: str) -> None:
    with pytest.raises(Refused) as refused:
        decode_state("@ada", token, "since")
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.STATE_MALFORMED, "since")
