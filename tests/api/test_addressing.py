"""Every spelling of an address lands or is refused with candidates; the retired get no mail (ORIGIN §1.3)."""

import secrets

import pytest

from tests.api.acting import REGISTER, SET_STATUS
from tests.api.client import Person
from tests.api.conftest import People


@pytest.mark.parametrize(
    "spelling", ["{}", "@{}", "@@{}", "@@@{}", "AGENT:@{}", "AGENT:{}", "agent:@{}", " @{} ", "human:{}", "@ {}"]
)
async def test_a_near_miss_lands(people: People, spelling: str) -> None:
    ada, bea = await people("ada", "bea")
    name = bea.handle[1:]
    for written in (spelling.format(name), spelling.format(name.upper())):
        sent = await ada.sends(written)
        assert sent["recipients"] == [{"address": bea.handle, "kind": "TO"}]
    assert len(await bea.entries()) == 2


@pytest.mark.parametrize("spelling", ["@self", "@me", "me", "Self", "AGENT:@me"])
async def test_oneself_has_many_names(people: People, spelling: str) -> None:
    (ada,) = await people("ada")
    await ada.sends(spelling)
    assert len(await ada.entries()) == 1


@pytest.mark.parametrize("spelling", ["@all", "AGENT:*", "agent:*", "all", "@everyone", "*"])
async def test_everybody_has_many_names(people: People, spelling: str) -> None:
    ada, bea = await people("ada", "bea")
    assert (await ada.sends(spelling))["recipients"] == [{"address": "@all", "kind": "TO"}]
    assert len(await bea.entries()) == 1


@pytest.mark.parametrize(
    "spelling", ["", "  ", "@", "@@", "@ada bea", "ada@host", "role:", "AGENT:", "@ada/", "a" * 70]
)
async def test_what_is_no_address_is_refused_by_field_and_value(people: People, spelling: str) -> None:
    (ada,) = await people("ada")
    for field in ("to", "cc"):
        said = {"to": ["@self"], field: [spelling]}
        refusal = (await ada.tries(**said))["refusal"]
        assert (refusal["code"], refusal["field"]) == ("INVALID_INPUT", field)
    assert await ada.entries() == []


async def test_an_unknown_address_comes_with_candidates_among_them_roles(people: People, operator: Person) -> None:
    ada, bea = await people("ada", "bea")
    refusal = (await ada.tries(f"{bea.handle}x"))["refusal"]
    assert (refusal["code"], refusal["candidates"][0]) == ("UNKNOWN_ADDRESS", bea.handle)
    role = f"role:{bea.handle[1:]}"
    await operator.ask("mutation($r: Address!) { createRole(input: { address: $r }) { refusal { code } } }", r=role)
    refusal = (await ada.tries(f"{role}x"))["refusal"]
    assert (refusal["code"], refusal["candidates"][0]) == ("UNKNOWN_ADDRESS", role)


async def test_a_family_is_an_address_where_one_agent_alone_is_of_it(people: People, operator: Person) -> None:
    (ada,) = await people("ada")
    family, suffix = f"tide/{secrets.token_hex(4)}", secrets.token_hex(3)
    first, second = (f"@kin{number}-{suffix}" for number in (1, 2))

    async def register(handle: str) -> None:
        payload = (await operator.ask(REGISTER, input={"handle": handle, "family": family}))["registerAgent"]
        assert (payload["refusal"], payload["agent"]["family"]) == (None, family)

    unknown = (await ada.tries(f"AGENT:{family}"))["refusal"]
    assert (unknown["code"], unknown["field"]) == ("UNKNOWN_ADDRESS", "to")
    await register(first)
    sent = await ada.sends(f"AGENT:{family.upper()}")
    assert sent["recipients"] == [{"address": first, "kind": "TO"}]
    await register(second)
    several = (await ada.tries("@self", cc=[f"agent:{family}"]))["refusal"]
    assert (several["code"], several["field"], several["candidates"]) == ("AMBIGUOUS_ADDRESS", "cc", [first, second])
    await operator.ask(SET_STATUS, agent=first, status="RETIRED")
    assert (await ada.sends(f"AGENT:{family}"))["recipients"][0]["address"] == second
    bad = (await operator.ask(REGISTER, input={"handle": f"@other-{suffix}", "family": "tide"}))["registerAgent"]
    assert (bad["refusal"]["code"], bad["refusal"]["field"]) == ("INVALID_INPUT", "family")
    filtered = await ada.refused('{ inbox(filter: { from: "AGENT:tide/x" }) { edges { cursor } } }')
    assert filtered["code"] == "INVALID_INPUT"


async def test_who_is_benched_gets_mail_and_no_broadcasts(people: People, operator: Person) -> None:
    ada, bea = await people("ada", "bea")
    benched = (await operator.ask(SET_STATUS, agent=bea.handle, status="BENCHED"))["setAgentStatus"]
    assert benched == {"agent": {"handle": bea.handle, "status": "BENCHED"}, "refusal": None}
    await ada.sends("@all")
    await ada.sends(bea.handle, subject="For your return")
    assert [entry["message"]["subject"] for entry in await bea.entries()] == ["For your return"]
    await bea.sends(ada.handle)


async def test_who_is_retired_neither_sends_nor_is_written_to_and_keeps_the_mail(
    people: People, operator: Person
) -> None:
    ada, bea = await people("ada", "bea")
    received = await ada.sends(bea.handle)
    await operator.ask(SET_STATUS, agent=bea.handle, status="RETIRED")
    refusal = (await ada.tries(bea.handle))["refusal"]
    assert (refusal["code"], refusal["field"]) == ("ADDRESS_RETIRED", "to")
    await ada.sends("@all")
    assert [entry["message"]["id"] for entry in await bea.entries()] == [received["id"]]
    assert (await bea.tries(ada.handle))["refusal"]["code"] == "FORBIDDEN"
    assert (await bea.tries(inReplyTo=received["id"]))["refusal"]["code"] == "FORBIDDEN"
    await operator.ask(SET_STATUS, agent=bea.handle, status="ACTIVE")
    await bea.sends(inReplyTo=received["id"])


async def test_status_is_an_operators(people: People, operator: Person) -> None:
    ada, bea = await people("ada", "bea")
    mine = (await ada.ask(SET_STATUS, agent=bea.handle, status="RETIRED"))["setAgentStatus"]
    assert mine["refusal"]["code"] == "FORBIDDEN"
    unknown = (await operator.ask(SET_STATUS, agent=f"{bea.handle}x", status="RETIRED"))["setAgentStatus"]["refusal"]
    assert (unknown["code"], unknown["candidates"][0]) == ("UNKNOWN_ADDRESS", bea.handle)
    role = (await operator.ask(SET_STATUS, agent="role:x", status="RETIRED"))["setAgentStatus"]["refusal"]
    assert (role["code"], role["field"]) == ("INVALID_INPUT", "agent")


@pytest.mark.parametrize("spelling", ["<@{}>", '"{}"', "@{},", "'@{}';"])
async def test_marks_round_an_address_are_not_of_it(people: People, spelling: str) -> None:
    ada, bea = await people("ada", "bea")
    assert (await ada.sends(spelling.format(bea.handle[1:])))["recipients"][0]["address"] == bea.handle


async def test_a_role_has_near_misses_too(people: People, operator: Person) -> None:
    (ada,) = await people("ada")
    name = f"desk-{ada.handle[1:]}"
    role = f"role:{name}"
    await operator.ask("mutation($r: Address!) { createRole(input: { address: $r }) { refusal { code } } }", r=role)
    for written in (f"@{role}", f"AGENT:{role}", f"role:@{name}", f"ROLE: {name}"):
        assert (await ada.sends(written))["recipients"] == [{"address": role, "kind": "TO"}]
    refusal = (await ada.tries(name))["refusal"]
    assert (refusal["code"], refusal["candidates"][0]) == ("UNKNOWN_ADDRESS", role)
