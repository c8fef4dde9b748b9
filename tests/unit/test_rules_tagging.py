"""What becomes of an entry's tags (issue 4, "Tags and concepts")."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from graph.rules.tagging import Retag, check_retag, retagged
from graph.rules.tags import HANDOVER_TAG, canonical_prefix

LIMITS = MessageLimits(tags=4)
tags = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=4).map(tuple)


@given(current=tags, add=tags, remove=tags)
def test_tags_are_those_before_without_the_removed_and_with_the_added(
    current: tuple[str, ...], add: tuple[str, ...], remove: tuple[str, ...]
) -> None:
    wanted = Retag(add, tuple(tag for tag in remove if tag not in add))
    expected = (set(current) - set(wanted.remove)) | set(add)
    if len(expected) > LIMITS.tags and set(add) - set(current):
        with pytest.raises(Refused) as caught:
            retagged(current, wanted, {}, LIMITS)
        assert caught.value.refusal is RefusalCode.LIMIT_EXCEEDED
        return
    new = retagged(current, wanted, {}, LIMITS)
    assert set(new.tags) == expected
    assert len(new.tags) == len(set(new.tags)) <= LIMITS.tags
    assert set(new.added) == expected - set(current)
    assert set(new.removed) == set(current) - expected
    assert new.changed is (set(current) != expected)


def test_removing_a_concept_removes_the_names_it_may_be_filed_under() -> None:
    new = retagged(("db", "log"), Retag((), ("database",)), {"database": ("database", "db")}, LIMITS)
    assert (new.tags, new.removed) == (("log",), ("db",))


def test_an_entry_that_has_too_many_tags_already_can_lose_some() -> None:
    new = retagged(tuple("abcdef"), Retag((), ("a",)), {}, LIMITS)
    assert new.tags == tuple("bcdef")


@pytest.mark.parametrize(
    ("add", "remove", "code"),
    [
        ([], [], RefusalCode.INVALID_INPUT),
        (["A"], ["#a"], RefusalCode.INVALID_INPUT),
        ([HANDOVER_TAG], [], RefusalCode.RESERVED_TAG),
        ([], [f"CONCEPT:{HANDOVER_TAG}"], RefusalCode.RESERVED_TAG),
    ],
)
def test_what_cannot_be_meant_is_refused(add: list[str], remove: list[str], code: RefusalCode) -> None:
    with pytest.raises(Refused) as caught:
        check_retag(add, remove, LIMITS)
    assert caught.value.refusal is code


@pytest.mark.parametrize(
    ("written", "meant"),
    [("", ""), ("  ", ""), ("#", ""), ("#Ti", "ti"), ("CONCEPT:Ti", "ti"), ("Release ", "release "), (" a", "a")],
)
def test_a_prefix_is_how_canonical_names_begin(written: str, meant: str) -> None:
    assert canonical_prefix(written, "prefix", LIMITS) == meant
