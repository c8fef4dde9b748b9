"""Rights as edges: grants, blocks, the reply policy (issue 4 "Rights", ORIGIN §3, LESSONS 10 and 16)."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from tests.api.acting import (
    ADD_MEMBER,
    BLOCK,
    CREATE_ROLE,
    GRANT,
    MAILBOX,
    PERMISSIONS,
    REVOKE,
    SET_POLICY,
    UNBLOCK,
)
from tests.api.client import Person
from tests.api.conftest import People

SKIPPED = """
mutation($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id } skipped refusal { code field message } }
}
"""
Policy = Callable[[str], AbstractAsyncContextManager[None]]


@pytest.fixture
def policy(operator: Person) -> Policy:
    """Return a context in which the reply policy is another."""

    @asynccontextmanager
    async def set_to(chosen: str) -> AsyncIterator[None]:
        assert (await operator.ask(SET_POLICY, policy=chosen))["setReplyPolicy"]["replyPolicy"] == chosen
        try:
            yield
        finally:
            await operator.ask(SET_POLICY, policy="OPEN")

    return set_to


async def test_a_grantee_reads_the_inbox_and_what_lies_in_it_until_it_is_revoked(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    sent = await ada.sends(bea.handle)
    assert (await cy.refused(MAILBOX, mailbox=bea.handle))["code"] == "NOT_FOUND"
    granted = (await bea.ask(GRANT, agent=cy.handle, permission="CAN_READ_INBOX_OF"))["grantPermission"]
    assert granted["right"]["agent"]["handle"] == cy.handle
    assert (granted["right"]["kind"], granted["right"]["mailbox"]) == ("CAN_READ_INBOX_OF", bea.handle)
    inbox = (await cy.ask(MAILBOX, mailbox=bea.handle))["inbox"]
    assert [edge["node"]["message"]["id"] for edge in inbox["edges"]] == [sent["id"]]
    assert [row["message"]["id"] for row in await cy.thread(sent["id"])] == [sent["id"]]
    # Reading is all: what bea sent is not bea's inbox, and reading by another marks nothing.
    away = await bea.sends(ada.handle)
    assert (await cy.ask("query($id: ID!) { message(id: $id) { id } }", id=away["id"]))["message"] is None
    assert [entry["unread"] for entry in await bea.entries()] == [True]
    again = (await bea.ask(GRANT, agent=cy.handle, permission="CAN_READ_INBOX_OF"))["grantPermission"]
    assert again["right"]["since"] == granted["right"]["since"]
    assert (await bea.ask(REVOKE, agent=cy.handle, permission="CAN_READ_INBOX_OF"))["revokePermission"]["changed"]
    assert (await cy.refused(MAILBOX, mailbox=bea.handle))["code"] == "NOT_FOUND"
    nothing = await bea.ask(REVOKE, agent=cy.handle, permission="CAN_READ_INBOX_OF")
    assert nothing["revokePermission"] == {"changed": False, "refusal": None}


async def test_a_block_has_one_direction_and_beats_every_grant(people: People) -> None:
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle, subject="Before")
    for permission in ("CAN_READ_INBOX_OF", "CAN_REPLY_TO"):
        await bea.ask(GRANT, agent=ada.handle, permission=permission)
    assert (await bea.ask(BLOCK, agent=ada.handle))["block"]["right"]["kind"] == "BLOCKED_BY"
    for said in ({"to": [bea.handle]}, {"to": [ada.handle], "cc": [bea.handle]}):
        refusal = (await ada.ask(SKIPPED, input={"subject": "Hear me", "bodyText": "", **said}))["sendMessage"]
        assert refusal["message"] is None
        assert (refusal["refusal"]["code"], refusal["refusal"]["field"]) == ("BLOCKED", "cc" if "cc" in said else "to")
    assert (await ada.refused(MAILBOX, mailbox=bea.handle))["code"] == "NOT_FOUND"
    await bea.sends(ada.handle, subject="The other way")
    assert [entry["message"]["subject"] for entry in await ada.entries()] == ["The other way"]
    # Answering what the blocker sent is a direct send too.
    (received,) = await ada.entries()
    answer = await ada.tries(inReplyTo=received["message"]["id"])
    assert answer["refusal"]["code"] == "BLOCKED"
    # What was there before stays.
    assert [entry["message"]["subject"] for entry in await bea.entries()] == ["Before"]
    assert (await bea.ask(UNBLOCK, agent=ada.handle))["unblock"]["changed"]
    await ada.sends(bea.handle, subject="After")
    assert len((await ada.ask(MAILBOX, mailbox=bea.handle))["inbox"]["edges"]) == 2


async def test_broadcasts_and_roles_skip_who_blocks_and_say_how_many(people: People, operator: Person) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    await bea.ask(BLOCK, agent=ada.handle)
    role = f"role:{ada.handle[1:]}"
    await operator.ask(CREATE_ROLE, input={"address": role})
    for member in (bea, cy):
        await operator.ask(ADD_MEMBER, role=role, agent=member.handle)
    for to in (["@all"], [role], ["@all", role]):
        sent = (await ada.ask(SKIPPED, input={"to": to, "subject": "Fog", "bodyText": ""}))["sendMessage"]
        assert (sent["skipped"], sent["refusal"]) == (1, None)
    assert await bea.entries() == []
    assert len(await cy.entries()) == 3
    direct = (await ada.ask(SKIPPED, input={"to": [cy.handle], "subject": "Fog", "bodyText": ""}))["sendMessage"]
    assert direct["skipped"] == 0


async def test_rights_are_listed_at_both_ends_save_a_block(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    await bea.ask(GRANT, agent=ada.handle, permission="CAN_REPLY_TO")
    await bea.ask(GRANT, agent=ada.handle, permission="CAN_READ_INBOX_OF")
    await bea.ask(BLOCK, agent=cy.handle)
    pages, after = [], None
    while True:
        page = (await bea.ask(PERMISSIONS, first=1, after=after))["permissions"]
        pages += [(edge["node"]["agent"]["handle"], edge["node"]["kind"]) for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    expected = [(ada.handle, "CAN_READ_INBOX_OF"), (ada.handle, "CAN_REPLY_TO"), (cy.handle, "BLOCKED_BY")]
    assert pages == expected
    held = (await ada.ask(PERMISSIONS, direction="HELD"))["permissions"]["edges"]
    assert [(e["node"]["mailbox"], e["node"]["kind"]) for e in held] == [
        (bea.handle, "CAN_READ_INBOX_OF"),
        (bea.handle, "CAN_REPLY_TO"),
    ]
    assert (await cy.ask(PERMISSIONS, direction="HELD"))["permissions"]["edges"] == []
    assert (await cy.refused(PERMISSIONS, mailbox=bea.handle))["code"] == "NOT_FOUND"


async def test_where_contacts_alone_may_write_an_answer_is_no_way_round(people: People, policy: Policy) -> None:
    """LESSONS 10: elsewhere a reply bypassed the contact policy."""
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cc=[cy.handle])
    async with policy("CONTACTS"):
        refusal = (await ada.tries(bea.handle))["refusal"]
        assert (refusal["code"], refusal["field"]) == ("FORBIDDEN", "to")
        assert "CONTACTS" in refusal["message"]
        # Bea answers ada, who wrote to her; that makes her a contact of ada's.
        await bea.sends(inReplyTo=root["id"])
        await ada.sends(bea.handle)
        # Cy may answer ada, who wrote to him; not bea, who only stands beside him in the thread.
        await cy.sends(inReplyTo=root["id"])
        assert (await cy.tries(bea.handle, inReplyTo=root["id"]))["refusal"]["code"] == "FORBIDDEN"
        assert (await cy.tries(ada.handle, inReplyTo=root["id"], cc=[bea.handle]))["refusal"]["field"] == "cc"
        await bea.ask(GRANT, agent=cy.handle, permission="CAN_REPLY_TO")
        await cy.sends(bea.handle)
        await cy.sends("@self")
        await cy.sends("@all")
        await bea.ask(BLOCK, agent=cy.handle)
        assert (await cy.tries(bea.handle))["refusal"]["code"] == "BLOCKED"
    assert (await ada.tries(cy.handle))["refusal"] is None


async def test_the_reply_policy_is_an_operators(people: People, operator: Person) -> None:
    (ada,) = await people("ada")
    assert (await ada.ask(SET_POLICY, policy="CONTACTS"))["setReplyPolicy"]["refusal"]["code"] == "FORBIDDEN"
    assert (await ada.ask("{ replyPolicy }"))["replyPolicy"] == "OPEN"
    assert (await operator.ask("{ replyPolicy }"))["replyPolicy"] == "OPEN"


async def test_rights_that_cannot_be_meant_are_refused(people: People) -> None:
    ada, bea = await people("ada", "bea")
    calls = [
        (BLOCK, "block", {"agent": ada.handle}, "INVALID_INPUT", "agent"),
        (BLOCK, "block", {"agent": "@self"}, "INVALID_INPUT", "agent"),
        (BLOCK, "block", {"agent": "@all"}, "INVALID_INPUT", "agent"),
        (BLOCK, "block", {"agent": f"{bea.handle}x"}, "UNKNOWN_ADDRESS", "agent"),
        (BLOCK, "block", {"agent": bea.handle, "mailbox": bea.handle}, "NOT_FOUND", "mailbox"),
        (GRANT, "grantPermission", {"agent": "role:x", "permission": "CAN_REPLY_TO"}, "INVALID_INPUT", "agent"),
        (UNBLOCK, "unblock", {"agent": bea.handle, "mailbox": "role:none"}, "NOT_FOUND", "mailbox"),
    ]
    for operation, name, said, code, field in calls:
        refusal = (await ada.ask(operation, **said))[name]["refusal"]
        assert (refusal["code"], refusal["field"]) == (code, field), said
    assert (await ada.ask(PERMISSIONS))["permissions"]["edges"] == []


async def test_who_serves_a_queue_may_answer_who_wrote_to_it(people: People, operator: Person, policy: Policy) -> None:
    ada, bea = await people("ada", "bea")
    role = f"role:desk-{ada.handle[1:]}"
    await operator.ask(CREATE_ROLE, input={"address": role, "delivery": "QUEUE"})
    await operator.ask(ADD_MEMBER, role=role, agent=bea.handle)
    async with policy("CONTACTS"):
        question = await ada.sends(role)
        answer = await bea.sends(inReplyTo=question["id"])
        assert answer["recipients"] == [{"address": ada.handle, "kind": "TO"}]
        assert [entry["message"]["id"] for entry in await ada.entries()] == [answer["id"]]
