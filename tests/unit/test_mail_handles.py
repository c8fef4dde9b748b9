import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph.rules.addresses import check_handle
from seed.mail import UNKNOWN_SENDER, handle_for


@pytest.mark.parametrize(
    ("address", "handle"),
    [
        ("Steve.X@Example.org", "@steve.x_at_example.org"),
        ("a_b-c@example.org", "@a_b-c_at_example.org"),
        (None, UNKNOWN_SENDER),
        ("  ", UNKNOWN_SENDER),
    ],
)
def test_plain_handles(address: str | None, handle: str) -> None:
    assert handle_for(address) == handle


@pytest.mark.parametrize("address", ["a+b@example.org", "x" * 70 + "@example.org", "_a@example.org", "ä@example.org"])
def test_what_does_not_fit_gets_a_stable_suffix(address: str) -> None:
    handle = handle_for(address)
    assert re.search(r"__[a-z2-7]{16}\Z", handle)
    assert handle == handle_for(address.upper() if address.isascii() else address)


ADDRESSES = st.text(alphabet=st.sampled_from("ab_-.@+ät"), min_size=1, max_size=12)


@given(ADDRESSES, ADDRESSES)
@example("x_at_a@b", "x@a_at_b")
@example("x_at@b", "x@at_b")
@example("a+b@c", "a-b@c")
def test_two_addresses_never_share_a_handle(one: str, other: str) -> None:
    assert (handle_for(one) == handle_for(other)) == (one.strip().lower() == other.strip().lower())


@given(st.text())
@example("@")
@example("...@...")
@example("a@b.")
def test_every_handle_is_one_that_could_be_registered(address: str) -> None:
    handle = handle_for(address)
    assert check_handle(handle, "handle") == handle
