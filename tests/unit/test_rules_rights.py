"""Who may write to whom: blocks, the reply policy, roles and those who are retired (ORIGIN §3, issue 4 "Rights")."""

from dataclasses import replace

import pytest

from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.rules.planning import RecipientKind, Via, _deliveries
from graph.rules.rights import Box, Standing, audience, check_recipient, check_sender, members

BOXES = {
    box.address: box
    for box in (
        Box("@ada", "AGENT", "ACTIVE"),
        Box("@bea", "AGENT", "ACTIVE"),
        Box("@cy", "AGENT", "BENCHED"),
        Box("@hal", "HUMAN", "ACTIVE"),
        Box("@old", "AGENT", "RETIRED"),
        Box("role:crew", None, None, "EACH", ("@ada", "@bea", "@cy", "@hal", "@late", "@old")),
        Box("role:desk", None, None, "QUEUE"),
    )
}
OPEN = Standing(BOXES)
CLOSED = replace(OPEN, contacts=frozenset({("@ada", "@bea")}))
BLOCKED = replace(CLOSED, blocks=frozenset({("@ada", "@bea"), ("@ada", "role:desk")}))


def _code(sender: str, address: str, standing: Standing) -> RefusalCode | None:
    try:
        check_recipient(sender, address, "cc", standing)
    except Refused as refused:
        return refused.refusal if refused.field == "cc" else None
    else:
        return None


def test_an_open_policy_lets_everybody_write_to_whoever_takes_part() -> None:
    assert [_code("@ada", address, OPEN) for address in ("@bea", "@cy", "@hal", "@ada", "@all", "role:crew")] == [
        None
    ] * 6
    assert _code("@ada", "@old", OPEN) is RefusalCode.ADDRESS_RETIRED
    with pytest.raises(UnknownAddress):
        check_recipient("@ada", "@nobody", "to", OPEN)


def test_where_contacts_alone_may_write_roles_broadcasts_and_oneself_stay_open() -> None:
    assert [_code("@ada", address, CLOSED) for address in ("@bea", "@ada", "@all", "role:crew", "role:desk")] == [
        None
    ] * 5
    assert _code("@ada", "@cy", CLOSED) is RefusalCode.FORBIDDEN
    # A contact has a direction too: that ada may write to bea says nothing of bea.
    assert _code("@bea", "@ada", CLOSED) is RefusalCode.FORBIDDEN


def test_a_block_beats_a_contact_and_has_one_direction() -> None:
    assert _code("@ada", "@bea", BLOCKED) is RefusalCode.BLOCKED
    assert _code("@ada", "role:desk", BLOCKED) is RefusalCode.BLOCKED
    assert _code("@bea", "@ada", replace(BLOCKED, contacts=None)) is None


def test_an_audience_is_active_agents_without_the_sender_and_those_who_block_him() -> None:
    assert audience("@hal", OPEN) == (("@ada", "@bea"), frozenset())
    assert audience("@ada", OPEN) == (("@bea",), frozenset())
    assert audience("@ada", BLOCKED) == ((), frozenset({"@bea"}))


def test_a_role_reaches_every_member_but_the_sender_the_retired_and_whoever_joined_meanwhile() -> None:
    crew = BOXES["role:crew"]
    assert members("@ada", crew, OPEN) == (("@bea", "@cy", "@hal"), frozenset())
    assert members("@ada", crew, BLOCKED) == (("@cy", "@hal"), frozenset({"@bea"}))


def test_the_most_direct_way_counts_and_whoever_is_skipped_counts_once() -> None:
    addresses = tuple((address, RecipientKind.TO) for address in ("@all", "role:crew", "role:desk", "@hal"))
    deliveries, skipped = _deliveries("@ada", addresses, OPEN)
    assert dict(deliveries) == {"@hal": Via.DIRECT, "role:desk": Via.ROLE, "@bea": Via.ROLE, "@cy": Via.ROLE}
    assert skipped == 0
    deliveries, skipped = _deliveries("@ada", addresses, replace(OPEN, blocks=frozenset({("@ada", "@bea")})))
    assert "@bea" not in dict(deliveries)
    assert skipped == 1


def test_whoever_is_retired_sends_nothing() -> None:
    check_sender("@ada", OPEN)
    with pytest.raises(Refused) as caught:
        check_sender("@old", OPEN)
    assert caught.value.refusal is RefusalCode.FORBIDDEN
