"""Roles and queues: a copy for each member, or one mailbox whose entries have one holder (issue 4 "Roles")."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable

import pytest

from tests.api.acting import (
    ADD_MEMBER,
    BLOCK,
    CLAIM,
    CREATE_ROLE,
    FINISH,
    GRANT,
    MAILBOX,
    RELEASE,
    REMOVE_MEMBER,
    RENEW,
)
from tests.api.client import Data, Person
from tests.api.conftest import People

Roles = Callable[..., Awaitable[str]]


@pytest.fixture
def roles(operator: Person) -> Roles:
    """Return a function that makes a role of its own with these members and returns its address."""

    async def make(delivery: str, *members: Person) -> str:
        said = {"address": f"role:crew-{secrets.token_hex(3)}", "delivery": delivery, "description": "Keeps the lamp."}
        created = (await operator.ask(CREATE_ROLE, input=said))["createRole"]
        assert created["refusal"] is None
        address: str = created["role"]["address"]
        for member in members:
            added = await operator.ask(ADD_MEMBER, role=address, agent=member.handle)
            assert added["addRoleMember"]["refusal"] is None
        return address

    return make


async def _entries(reader: Person, mailbox: str) -> list[Data]:
    return [edge["node"] for edge in (await reader.ask(MAILBOX, mailbox=mailbox))["inbox"]["edges"]]


async def test_each_member_gets_a_copy_at_send_time_and_the_sender_none(people: People, roles: Roles) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    role = await roles("EACH", ada, bea)
    sent = await ada.sends(role, subject="For the crew")
    assert sent["recipients"] == [{"address": role, "kind": "TO"}]
    (copy,) = await bea.entries()
    assert (copy["message"]["id"], copy["via"]) == (sent["id"], "ROLE")
    assert await ada.entries() == []
    # Who joins later did not get it, and a role that copies has no mailbox to read.
    late = await roles("EACH", ada, bea, cy)
    assert late != role
    assert await cy.entries() == []
    assert (await bea.refused(MAILBOX, mailbox=role))["code"] == "NOT_FOUND"


async def test_whoever_is_named_too_gets_one_entry_by_the_most_direct_way(people: People, roles: Roles) -> None:
    ada, bea = await people("ada", "bea")
    role = await roles("EACH", bea)
    await ada.sends(role, bea.handle)
    (entry,) = await bea.entries()
    assert entry["via"] == "DIRECT"


async def test_an_answer_to_a_role_mail_of_ones_own_goes_to_the_role_again(people: People, roles: Roles) -> None:
    ada, bea = await people("ada", "bea")
    role = await roles("EACH", bea)
    first = await ada.sends(role)
    await ada.sends(inReplyTo=first["id"], subject="One more thing")
    assert [entry["message"]["subject"] for entry in await bea.entries()] == ["One more thing", "Tide tables"]
    (_, older) = await bea.entries()
    answer = await bea.sends(inReplyTo=older["message"]["id"], subject="Yes")
    assert answer["recipients"] == [{"address": ada.handle, "kind": "TO"}]
    assert [entry["message"]["subject"] for entry in await ada.entries()] == ["Yes"]


async def test_a_queue_is_read_by_its_members_and_by_whom_it_was_granted_to(
    people: People, roles: Roles, operator: Person
) -> None:
    ada, bea, cy, dot = await people("ada", "bea", "cy", "dot")
    role = await roles("QUEUE", bea)
    sent = await ada.sends(role, subject="Trim the wick", tags=["lamp"])
    assert await bea.entries() == []
    (entry,) = await _entries(bea, role)
    assert (entry["message"]["id"], entry["via"], entry["unread"], entry["claim"]) == (sent["id"], "ROLE", True, None)
    granted = await operator.ask(GRANT, agent=cy.handle, permission="CAN_READ_INBOX_OF", mailbox=role)
    assert granted["grantPermission"]["refusal"] is None
    assert len(await _entries(cy, role)) == 1
    assert (await cy.ask(CLAIM, mailbox=role))["claimEntry"]["refusal"]["code"] == "FORBIDDEN"
    assert (await dot.refused(MAILBOX, mailbox=role))["code"] == "NOT_FOUND"
    assert (await dot.ask(CLAIM, mailbox=role))["claimEntry"]["refusal"]["code"] == "NOT_FOUND"
    assert (await operator.refused(MAILBOX, mailbox=role))["code"] == "NOT_FOUND"
    # A member answers what came to the queue as himself.
    answer = await bea.sends(inReplyTo=sent["id"], subject="Done")
    assert answer["thread"] == sent["thread"]
    assert [row["message"]["id"] for row in await ada.thread(sent["id"])] == [sent["id"], answer["id"]]


async def test_of_many_members_one_gets_an_entry(people: People, roles: Roles) -> None:
    ada, *crew = await people("ada", *(f"member{number}" for number in range(6)))
    role = await roles("QUEUE", *crew)
    sent = await ada.sends(role)
    tried = await asyncio.gather(*(member.ask(CLAIM, mailbox=role, id=sent["id"]) for member in crew))
    won = [answer["claimEntry"]["claim"] for answer in tried if answer["claimEntry"]["claim"] is not None]
    lost = [answer["claimEntry"]["refusal"] for answer in tried if answer["claimEntry"]["refusal"] is not None]
    assert [claim["message"]["id"] for claim in won] == [sent["id"]]
    assert [(refusal["code"], refusal["retryable"]) for refusal in lost] == [("CONFLICT", True)] * 5


async def test_the_oldest_free_entry_is_next_and_each_is_given_once(people: People, roles: Roles) -> None:
    ada, *crew = await people("ada", *(f"member{number}" for number in range(4)))
    role = await roles("QUEUE", *crew)
    sent = [(await ada.sends(role))["id"] for _ in range(4)]
    given = [(await member.ask(CLAIM, mailbox=role))["claimEntry"]["claim"]["message"]["id"] for member in crew[:2]]
    assert given == sent[:2]
    together = await asyncio.gather(*(member.ask(CLAIM, mailbox=role) for member in crew[2:]))
    assert sorted(answer["claimEntry"]["claim"]["message"]["id"] for answer in together) == sent[2:]
    none = (await crew[0].ask(CLAIM, mailbox=role))["claimEntry"]["refusal"]
    assert (none["code"], none["retryable"]) == ("NOT_FOUND", True)


async def test_finishing_is_for_the_present_holder_and_reads_the_entry(people: People, roles: Roles) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    role = await roles("QUEUE", bea, cy)
    sent = (await ada.sends(role, tags=["lamp"]))["id"]
    claim = (await bea.ask(CLAIM, mailbox=role, id=sent))["claimEntry"]["claim"]
    (entry,) = await _entries(cy, role)
    assert entry["claim"]["by"]["handle"] == bea.handle
    stolen = (await cy.ask(FINISH, mailbox=role, id=sent, token=sent))["finishClaim"]["refusal"]
    assert (stolen["code"], stolen["field"]) == ("STALE_OWNER", "token")
    assert (await bea.ask(FINISH, mailbox=role, id=sent, token=claim["token"]))["finishClaim"]["message"]["id"] == sent
    inbox = (await cy.ask(MAILBOX, mailbox=role))["inbox"]
    assert (inbox["unreadCount"], inbox["edges"][0]["node"]["unread"]) == (0, False)
    assert inbox["edges"][0]["node"]["claim"]["finishedAt"] is not None
    tagged = await cy.ask(MAILBOX, mailbox=role, filter={"tags": ["lamp"], "unread": True})
    assert tagged["inbox"]["edges"] == []
    again = (await cy.ask(CLAIM, mailbox=role, id=sent))["claimEntry"]["refusal"]
    assert again["code"] == "CONFLICT"


async def test_a_released_entry_is_free_at_once(people: People, roles: Roles) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    role = await roles("QUEUE", bea, cy)
    sent = (await ada.sends(role))["id"]
    claim = (await bea.ask(CLAIM, mailbox=role))["claimEntry"]["claim"]
    assert (await bea.ask(RELEASE, mailbox=role, id=sent, token=claim["token"]))["releaseClaim"]["refusal"] is None
    assert (await cy.ask(CLAIM, mailbox=role, id=sent))["claimEntry"]["claim"]["message"]["id"] == sent
    late = (await bea.ask(FINISH, mailbox=role, id=sent, token=claim["token"]))["finishClaim"]["refusal"]
    assert late["code"] == "STALE_OWNER"


async def test_an_ended_lease_is_free_and_its_late_finisher_refused(people: People, roles: Roles) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    role = await roles("QUEUE", bea, cy)
    sent = (await ada.sends(role))["id"]
    old = (await bea.ask(CLAIM, mailbox=role, leaseSeconds=1))["claimEntry"]["claim"]
    renewed = (await bea.ask(RENEW, mailbox=role, id=sent, token=old["token"], leaseSeconds=1))["renewClaim"]["claim"]
    assert renewed["until"] > old["until"]
    await asyncio.sleep(1.1)
    taken = (await cy.ask(CLAIM, mailbox=role))["claimEntry"]["claim"]
    assert taken["message"]["id"] == sent
    for operation, name in ((FINISH, "finishClaim"), (RELEASE, "releaseClaim"), (RENEW, "renewClaim")):
        late = (await bea.ask(operation, mailbox=role, id=sent, token=old["token"]))[name]["refusal"]
        assert late["code"] == "STALE_OWNER"
    assert (await cy.ask(FINISH, mailbox=role, id=sent, token=taken["token"]))["finishClaim"]["refusal"] is None


async def test_leaving_a_role_closes_its_queue(people: People, roles: Roles, operator: Person) -> None:
    ada, bea = await people("ada", "bea")
    role = await roles("QUEUE", bea)
    sent = await ada.sends(role)
    assert len(await _entries(bea, role)) == 1
    removed = await operator.ask(REMOVE_MEMBER, role=role, agent=bea.handle)
    assert removed["removeRoleMember"]["role"]["members"] == []
    assert (await bea.refused(MAILBOX, mailbox=role))["code"] == "NOT_FOUND"
    assert (await bea.ask("query($id: ID!) { message(id: $id) { id } }", id=sent["id"]))["message"] is None


async def test_whoever_a_role_blocks_neither_reaches_nor_reads_it(
    people: People, roles: Roles, operator: Person
) -> None:
    ada, bea = await people("ada", "bea")
    role = await roles("QUEUE", bea)
    await ada.sends(role)
    for blocked in (ada, bea):
        answer = await operator.ask(BLOCK, agent=blocked.handle, mailbox=role)
        assert answer["block"]["refusal"] is None
    assert (await ada.tries(role))["refusal"]["code"] == "BLOCKED"
    assert (await bea.refused(MAILBOX, mailbox=role))["code"] == "NOT_FOUND"


async def test_roles_are_an_operators_to_make(people: People, roles: Roles, operator: Person) -> None:
    (ada,) = await people("ada")
    role = await roles("EACH", ada)
    said = {"address": "role:mine"}
    assert (await ada.ask(CREATE_ROLE, input=said))["createRole"]["refusal"]["code"] == "FORBIDDEN"
    assert (await ada.ask(ADD_MEMBER, role=role, agent=ada.handle))["addRoleMember"]["refusal"]["code"] == "FORBIDDEN"
    taken = (await operator.ask(CREATE_ROLE, input={"address": role}))["createRole"]["refusal"]
    assert (taken["code"], taken["field"]) == ("CONFLICT", "address")
    unknown = (await operator.ask(ADD_MEMBER, role=f"{role}x", agent=ada.handle))["addRoleMember"]["refusal"]
    assert (unknown["code"], unknown["field"], unknown["candidates"][0]) == ("UNKNOWN_ADDRESS", "role", role)
    nobody = (await operator.ask(ADD_MEMBER, role=role, agent=f"{ada.handle}x"))["addRoleMember"]["refusal"]
    assert (nobody["code"], nobody["field"], nobody["candidates"][0]) == ("UNKNOWN_ADDRESS", "agent", ada.handle)
    bad = (await operator.ask(CREATE_ROLE, input={"address": "@ada"}))["createRole"]["refusal"]
    assert (bad["code"], bad["field"]) == ("INVALID_INPUT", "address")


async def test_the_directory_of_roles_is_open_to_every_key(people: People, roles: Roles, nobody: Person) -> None:
    ada, bea = await people("ada", "bea")
    role = await roles("EACH", bea)
    shown = await ada.ask(
        "query($id: ID!, $address: Address!) { node(id: $id) { id ... on Role { delivery members { handle } } } "
        "role(address: $address) { description } roles(first: 1) { edges { node { address } } } }",
        id=role,
        address=role.removeprefix("role:"),
    )
    assert shown["node"] == {"id": role, "delivery": "EACH", "members": [{"handle": bea.handle}]}
    assert shown["role"] == {"description": "Keeps the lamp."}
    assert len(shown["roles"]["edges"]) == 1
    assert (await nobody.refused("{ roles { edges { node { id } } } }"))["code"] == "UNAUTHENTICATED"


async def test_bad_leases_and_ids_are_refused(people: People, roles: Roles) -> None:
    ada, bea = await people("ada", "bea")
    role = await roles("QUEUE", bea)
    await ada.sends(role)
    for lease in (0, -5, 86_401):
        refusal = (await bea.ask(CLAIM, mailbox=role, leaseSeconds=lease))["claimEntry"]["refusal"]
        assert (refusal["code"], refusal["field"]) == ("INVALID_INPUT", "leaseSeconds")
    absent = (await bea.ask(CLAIM, mailbox=role, id="msg_01h2xcejqtf2nbrexx3vqjhp41"))["claimEntry"]["refusal"]
    assert (absent["code"], absent["field"]) == ("NOT_FOUND", "id")
    own = (await bea.ask(CLAIM, mailbox=bea.handle))["claimEntry"]["refusal"]
    assert (own["code"], own["field"]) == ("INVALID_INPUT", "mailbox")


async def test_a_claim_is_the_claimers_whoever_knows_the_token(people: People, roles: Roles) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    role = await roles("QUEUE", bea, cy)
    sent = (await ada.sends(role))["id"]
    token = (await bea.ask(CLAIM, mailbox=role))["claimEntry"]["claim"]["token"]
    for operation, name in ((RENEW, "renewClaim"), (RELEASE, "releaseClaim"), (FINISH, "finishClaim")):
        refusal = (await cy.ask(operation, mailbox=role, id=sent, token=token))[name]["refusal"]
        assert (refusal["code"], refusal["field"]) == ("STALE_OWNER", "token")
    surrogate = "\ud800"
    no_text = (await bea.ask(FINISH, mailbox=role, id=sent, token=surrogate))["finishClaim"]["refusal"]
    assert (no_text["code"], no_text["field"]) == ("STALE_OWNER", "token")
    assert (await bea.ask(FINISH, mailbox=role, id=sent, token=token))["finishClaim"]["refusal"] is None


async def test_what_is_no_queue_is_not_claimed_from_nor_granted(people: People, roles: Roles, operator: Person) -> None:
    (ada,) = await people("ada")
    each = await roles("EACH", ada)
    own = (await ada.ask(CLAIM, mailbox="@self"))["claimEntry"]["refusal"]
    assert (own["code"], own["field"]) == ("INVALID_INPUT", "mailbox")
    copies = (await ada.ask(CLAIM, mailbox=each))["claimEntry"]["refusal"]
    assert (copies["code"], copies["field"]) == ("NOT_FOUND", "mailbox")
    said = {"agent": ada.handle, "permission": "CAN_READ_INBOX_OF", "mailbox": each}
    granted = (await operator.ask(GRANT, **said))["grantPermission"]["refusal"]
    assert (granted["code"], granted["field"]) == ("INVALID_INPUT", "mailbox")
    said["mailbox"] = f"{each}-none"
    assert (await operator.ask(GRANT, **said))["grantPermission"]["refusal"]["code"] == "NOT_FOUND"
    assert (await ada.refused(MAILBOX, mailbox=""))["code"] == "INVALID_INPUT"
    blocked = (await ada.ask(BLOCK, agent="@operator", mailbox=""))["block"]["refusal"]
    assert (blocked["code"], blocked["field"]) == ("INVALID_INPUT", "mailbox")
