"""Addresses, tags, tickets and text in their canonical form (DESIGN §2, §4; ORIGIN §1.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.rules.addresses import AddressKind, check_handle, nearest, parse_address
from graph.rules.limits import MessageLimits
from graph.rules.tags import canonical_tag, canonical_tags
from graph.rules.text import check_text, shown
from graph.rules.tickets import ticket_key

LIMITS = MessageLimits()


@pytest.mark.parametrize(
    ("written", "kind", "text"),
    [
        ("@ada", AddressKind.IDENTITY, "@ada"),
        ("ada", AddressKind.IDENTITY, "@ada"),
        ("@@ada", AddressKind.IDENTITY, "@ada"),
        (" @Ada ", AddressKind.IDENTITY, "@ada"),
        ("AGENT:@ada", AddressKind.IDENTITY, "@ada"),
        ("agent:ada", AddressKind.IDENTITY, "@ada"),
        ("human:ada", AddressKind.IDENTITY, "@ada"),
        ("@steve.x_at_example.org", AddressKind.IDENTITY, "@steve.x_at_example.org"),
        ("@self", AddressKind.SELF, "@self"),
        ("me", AddressKind.SELF, "@self"),
        ("@all", AddressKind.BROADCAST, "@all"),
        ("AGENT:*", AddressKind.BROADCAST, "@all"),
        ("@AGENT:*", AddressKind.BROADCAST, "@all"),
        ("role:Reviewer", AddressKind.ROLE, "role:reviewer"),
        ("role:@reviewer", AddressKind.ROLE, "role:reviewer"),
    ],
)
def test_a_near_miss_means_what_it_can_only_mean(written: str, kind: AddressKind, text: str) -> None:
    address = parse_address(written, "to")
    assert (address.kind, address.text) == (kind, text)


@pytest.mark.parametrize(
    "written",
    ["", " ", "@", "@@", "two words", "@a b", "a/", "@-a", "@a.", "@" + "a" * 65, "role:", "role:a b", "@\u0430da",
     "@\ud800", "@a\x00", "@a\n@b", "agent:", "x:y"],
)  # fmt: skip
def test_what_is_no_address_is_refused_by_name(written: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_address(written, "cc")
    assert refused.value.refusal is RefusalCode.INVALID_INPUT
    assert refused.value.field == "cc"
    assert refused.value.message.isprintable()


@given(st.text())
def test_any_text_is_an_address_or_refused(written: str) -> None:
    try:
        address = parse_address(written, "to")
    except Refused:
        return
    # What is canonical stays what it is.
    assert parse_address(address.text, "to") == address


@pytest.mark.parametrize("written", ["@self", "@all", "@me", "@system", "role:x", "everyone", "@here"])
def test_reserved_handles_cannot_be_registered(written: str) -> None:
    with pytest.raises(Refused):
        check_handle(written, "handle")


def test_the_nearest_addresses_are_named() -> None:
    assert nearest("@bee", ["@ada", "@bea", "@dee", "@zoe"])[0] in {"@bea", "@dee"}
    assert "@bea" in nearest("@bee", ["@ada", "@bea", "@zoe"])
    assert nearest("@bee", ["@quux"]) == ()


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Tide", "tide"),
        ("#tide", "tide"),
        ("CONCEPT:Tide", "tide"),
        ("concept:#tide", "tide"),
        (" spring tide ", "spring tide"),
        ("#CONCEPT:#Tide", "tide"),
        ("concept:concept:tide", "tide"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("Cafe\u0301", "caf\u00e9"),
    ],
)
def test_a_tag_has_one_canonical_name(written: str, name: str) -> None:
    assert canonical_tag(written, "tags", LIMITS) == name


@given(st.text(max_size=80))
def test_a_canonical_tag_stays_what_it_is(written: str) -> None:
    try:
        name = canonical_tag(written, "tags", LIMITS)
    except Refused:
        return
    assert canonical_tag(name, "tags", LIMITS) == name


def test_tags_are_each_once_in_the_order_written() -> None:
    assert canonical_tags(["b", "#A", "B", "a"], "tags", LIMITS) == ("b", "a")


@pytest.mark.parametrize(
    ("written", "key"),
    [("neo#10347", "neo#10347"), ("owner/repo#1", "owner/repo#1"), ("abc-12", "ABC-12"), ("ticket:ABC-12", "ABC-12")],
)
def test_a_ticket_has_one_key(written: str, key: str) -> None:
    assert ticket_key(written, "tickets") == key


@pytest.mark.parametrize("written", ["", "#1", "repo#0", "repo#01", "a b#1", "-1", "x" * 200 + "#1", "repo#1\n"])
def test_what_is_no_ticket_is_refused(written: str) -> None:
    if written == "repo#1\n":
        assert ticket_key(written, "tickets") == "repo#1"
        return
    with pytest.raises(Refused):
        ticket_key(written, "tickets")


@given(st.text())
def test_text_is_kept_as_it_is_or_refused(value: str) -> None:
    """DESIGN §3.5: nothing is mended silently in what somebody wrote."""
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        with pytest.raises(Refused) as refused:
            check_text(value, "bodyText", octets=10_000, empty=True)
        assert refused.value.field == "bodyText"
    else:
        assert check_text(value, "bodyText", octets=10_000, empty=True) == value


@given(st.text())
def test_a_quoted_value_is_one_printable_line(value: str) -> None:
    assert shown(value).isprintable()
    assert len(shown(value)) < 1000
