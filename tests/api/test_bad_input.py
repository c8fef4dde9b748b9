"""Bad input gets a clear refusal that names the field, and leaves nothing behind (the issue's list, and its kin)."""

from typing import Any

import pytest

from api.relay import encode_cursor
from tests.api.client import INBOX, MARK_READ, REMEMBER, SEND, THREAD, WRITE_HANDOVER, Data
from tests.api.conftest import People

ABSENT = "msg_01h2xcejqtf2nbrexx3vqjhp41"

# What is said of a message, then the code and the field of the refusal.
BAD_MESSAGES: list[tuple[str, Data, str, str]] = [
    ("nobody", {"to": []}, "INVALID_INPUT", "to"),
    ("no to at all", {"to": None}, "INVALID_INPUT", "to"),
    ("a blank address", {"to": [" "]}, "INVALID_INPUT", "to"),
    ("no address", {"to": ["two words"]}, "INVALID_INPUT", "to"),
    ("a role nobody made", {"to": ["role:reviewer"]}, "UNKNOWN_ADDRESS", "to"),
    ("an unknown cc", {"cc": ["@nobody-of-that-name"]}, "UNKNOWN_ADDRESS", "cc"),
    ("a lone surrogate as an address", {"to": ["@\ud800"]}, "INVALID_INPUT", "to"),
    ("an empty subject", {"subject": ""}, "INVALID_INPUT", "subject"),
    ("a blank subject", {"subject": " \t "}, "INVALID_INPUT", "subject"),
    ("a subject that shows nothing", {"subject": "\u200b\u200d\ufeff"}, "INVALID_INPUT", "subject"),
    ("a tag that shows nothing", {"tags": ["\u200d"]}, "INVALID_INPUT", "tags"),
    ("a tag of two lines", {"tags": ["a\n"]}, "INVALID_INPUT", "tags"),
    ("a subject of two lines", {"subject": "one\ntwo"}, "INVALID_INPUT", "subject"),
    ("a NUL in the subject", {"subject": "a\x00b"}, "INVALID_INPUT", "subject"),
    ("a lone surrogate in the subject", {"subject": "a\ud800"}, "INVALID_INPUT", "subject"),
    ("a long subject", {"subject": "x" * 501}, "LIMIT_EXCEEDED", "subject"),
    ("a NUL in the body", {"bodyText": "a\x00b"}, "INVALID_INPUT", "bodyText"),
    ("a lone surrogate in the body", {"bodyText": "\udfff"}, "INVALID_INPUT", "bodyText"),
    ("a body of 2 MB", {"bodyText": "x" * 2_000_000}, "LIMIT_EXCEEDED", "bodyText"),
    ("500 recipients", {"to": [f"@agent-{n}" for n in range(500)]}, "LIMIT_EXCEEDED", "to"),
    ("500 in cc", {"cc": [f"@agent-{n}" for n in range(500)]}, "LIMIT_EXCEEDED", "cc"),
    ("an empty tag", {"tags": ["#"]}, "INVALID_INPUT", "tags"),
    ("a long tag", {"tags": ["x" * 65]}, "LIMIT_EXCEEDED", "tags"),
    ("33 tags", {"tags": [f"t{n}" for n in range(33)]}, "LIMIT_EXCEEDED", "tags"),
    ("a surrogate in a tag", {"tags": ["\ud800"]}, "INVALID_INPUT", "tags"),
    ("a reply to an id of another kind", {"inReplyTo": "thr_01h2xcejqtf2nbrexx3vqjhp41"}, "INVALID_INPUT", "inReplyTo"),
    ("a reply to nonsense", {"inReplyTo": "nonsense"}, "INVALID_INPUT", "inReplyTo"),
    ("a reply to what is not there", {"inReplyTo": ABSENT}, "NOT_FOUND", "inReplyTo"),
    ("a thread of another kind", {"thread": ABSENT}, "INVALID_INPUT", "thread"),
    ("a session that is not there", {"originSession": "ses_01h2xcejqtf2nbrexx3vqjhp41"}, "NOT_FOUND", "originSession"),
    ("an empty session", {"originSession": ""}, "INVALID_INPUT", "originSession"),
    ("an unknown related session", {"relatedSessions": ["never opened"]}, "NOT_FOUND", "relatedSessions"),
    ("a ticket without a repository", {"tickets": ["#123"]}, "INVALID_INPUT", "tickets"),
    ("a memory of another kind", {"memories": [ABSENT]}, "INVALID_INPUT", "memories"),
    ("an unknown memory", {"memories": ["mem_01h2xcejqtf2nbrexx3vqjhp41"]}, "NOT_FOUND", "memories"),
    ("an empty key", {"idempotencyKey": ""}, "INVALID_INPUT", "idempotencyKey"),
    ("a long key", {"idempotencyKey": "k" * 201}, "LIMIT_EXCEEDED", "idempotencyKey"),
]


async def test_a_bad_message_is_refused_and_nothing_is_stored(people: People) -> None:
    ada, bea = await people("ada", "bea")
    for name, said, code, field in BAD_MESSAGES:
        message = {"to": [bea.handle], **said}
        payload = (await ada.ask(SEND, input={"subject": "s", "bodyText": "b", **message}))["sendMessage"]
        refusal = payload["refusal"]
        assert payload["message"] is None, name
        assert (refusal["code"], refusal["field"]) == (code, field), f"{name}: {refusal}"
        assert field in refusal["message"] or "Nobody here" in refusal["message"], f"{name}: {refusal}"
        assert len(refusal["message"]) < 400, f"{name}: the message repeats the input"
    assert await bea.entries() == []
    assert (await ada.ask("{ sent { totalCount } }"))["sent"]["totalCount"] == 0


async def test_what_is_just_within_the_limits_is_sent(people: People) -> None:
    ada, bea = await people("ada", "bea")
    said: Data = {"subject": "x" * 500, "bodyText": "y" * 1024 * 1024, "tags": [f"t{n}" for n in range(32)]}
    message = await ada.sends(bea.handle, **said, idempotencyKey="k" * 200)
    assert message["bodyText"] == said["bodyText"]
    assert (await ada.sends(bea.handle, bodyText=""))["bodyText"] == ""
    limits = await ada.ask("{ limits { recipients bodyBytes subjectCharacters firstMax maxDepth maxRequestBytes } }")
    assert limits["limits"] == {
        "recipients": 100,
        "bodyBytes": 1024 * 1024,
        "subjectCharacters": 500,
        "firstMax": 100,
        "maxDepth": 15,
        "maxRequestBytes": 4 * 1024 * 1024,
    }


@pytest.mark.parametrize(("first", "code"), [(0, "INVALID_INPUT"), (-1, "INVALID_INPUT"), (101, "LIMIT_EXCEEDED")])
async def test_a_page_has_1_to_100_rows(people: People, first: int, code: str) -> None:
    (ada,) = await people("ada")
    mail = await ada.sends("@self")
    for query in (
        "query($first: Int!) { inbox(first: $first) { state } }",
        "query($first: Int!) { sent(first: $first) { notice } }",
        "query($first: Int!) { handovers(first: $first) { notice } }",
        f'query($first: Int!) {{ thread(id: "{mail["id"]}") {{ messages(first: $first) {{ totalCount }} }} }}',
        f'query($first: Int!) {{ message(id: "{mail["id"]}") {{ replies(first: $first) {{ totalCount }} }} }}',
    ):
        refused = await ada.refused(query, first=first)
        assert (refused["code"], refused["field"]) == (code, "first")


async def test_a_cursor_of_another_list_is_refused(people: People) -> None:
    ada, bea = await people("ada", "bea")
    root = await ada.sends(bea.handle, ada.handle)
    other = await ada.sends(ada.handle)
    cursors: dict[str, Any] = {
        "inbox": (await ada.inbox())["pageInfo"]["endCursor"],
        "other inbox": (await bea.inbox())["pageInfo"]["endCursor"],
        "state": (await ada.inbox())["state"],
        "sent": (await ada.ask("{ sent { pageInfo { endCursor } } }"))["sent"]["pageInfo"]["endCursor"],
        "thread": (await ada.ask(THREAD, id=root["id"]))["thread"]["messages"]["pageInfo"]["endCursor"],
        "other thread": (await ada.ask(THREAD, id=other["id"]))["thread"]["messages"]["pageInfo"]["endCursor"],
        "nonsense": "nonsense",
        "empty": "",
        "surrogate": "\ud800",
        "long": "A" * 10_000,
    }
    thread = root["thread"]["id"]
    lists = {
        "inbox": "query($after: String) { inbox(after: $after) { state } }",
        "sent": "query($after: String) { sent(after: $after) { notice } }",
        "handovers": "query($after: String) { handovers(after: $after) { notice } }",
        "thread": f'query($after: String) {{ thread(id: "{thread}") {{ messages(after: $after) {{ totalCount }} }} }}',
    }
    for list_, query in lists.items():
        for source, cursor in cursors.items():
            if source == list_:
                await ada.ask(query, after=cursor)
            else:
                refused = await ada.refused(query, after=cursor)
                assert (refused["code"], refused["field"]) == ("INVALID_INPUT", "after"), (list_, source)


async def test_an_id_of_another_kind_finds_nothing(people: People) -> None:
    (ada,) = await people("ada")
    message = await ada.sends("@self")
    for id_ in (message["thread"]["id"], ada.handle, "nonsense", "", "\ud800", "ticket:", "@all", "@self", "role:x"):
        assert (await ada.ask("query($id: ID!) { message(id: $id) { id } }", id=id_))["message"] is None
        assert (await ada.ask("query($id: ID!) { memory(id: $id) { id } }", id=id_))["memory"] is None
    for id_ in (ada.handle, "nonsense", "", "\ud800"):
        assert (await ada.ask(THREAD, id=id_))["thread"] is None
    for id_ in ("nonsense", "", "\ud800", "ticket:", "ticket:x#1", "@all", "role:x", "concept:tide"):
        assert (await ada.ask("query($id: ID!) { node(id: $id) { id } }", id=id_))["node"] is None
    assert (await ada.ask("query($id: ID!) { node(id: $id) { id } }", id=ada.handle))["node"]["id"] == ada.handle
    refused = await ada.refused("query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=["x"] * 101)
    assert refused["code"] == "LIMIT_EXCEEDED"


async def test_a_filter_that_cannot_be_meant_is_refused(people: People) -> None:
    (ada,) = await people("ada")
    for chosen, field in (
        ({"from": "two words"}, "from"),
        ({"from": "\ud800"}, "from"),
        ({"tags": ["#"]}, "tags"),
        ({"thread": ABSENT}, "thread"),
        ({"since": "2026-01-01T00:00:00"}, "since"),
    ):
        refused = await ada.refused(INBOX, filter=chosen)
        assert (refused["code"], refused["field"]) == ("INVALID_INPUT", field)
    assert (await ada.refused(INBOX, filter={"since": "yesterday"}))["code"] == "BAD_USER_INPUT"
    assert (await ada.inbox(filter={"from": "@nobody-of-that-name"}))["edges"] == []


async def test_a_batch_names_1_to_500(people: People) -> None:
    (ada,) = await people("ada")
    for ids, code in ((None, "INVALID_INPUT"), ([], "INVALID_INPUT"), ([ABSENT] * 501, "LIMIT_EXCEEDED")):
        payload = (await ada.ask(MARK_READ, ids=ids))["markRead"]
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (code, "ids")
        assert payload["results"] is payload["state"] is None
    results = (await ada.ask(MARK_READ, ids=["\ud800", ABSENT]))["markRead"]["results"]
    assert [result["refusal"]["code"] for result in results] == ["NOT_FOUND"] * 2


async def test_bad_memories_and_handovers_are_refused(people: People) -> None:
    (ada,) = await people("ada")
    for said, code, field in (
        ({"text": " "}, "INVALID_INPUT", "text"),
        ({"text": "a\x00"}, "INVALID_INPUT", "text"),
        ({"text": "\ud800"}, "INVALID_INPUT", "text"),
        ({"text": "x" * 2_000_000}, "LIMIT_EXCEEDED", "text"),
        ({"text": "x", "session": "never opened"}, "NOT_FOUND", "session"),
        ({"text": "x", "tags": [""]}, "INVALID_INPUT", "tags"),
        ({"text": "x", "idempotencyKey": "\ud800"}, "INVALID_INPUT", "idempotencyKey"),
    ):
        payload = (await ada.ask(REMEMBER, input=said))["remember"]
        assert payload["memory"] is None
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (code, field), said
    for said, code, field in (
        ({"session": "", "bodyText": "x"}, "INVALID_INPUT", "session"),
        ({"session": "s", "bodyText": " "}, "INVALID_INPUT", "bodyText"),
        ({"session": "s", "bodyText": "x", "subject": ""}, "INVALID_INPUT", "subject"),
        ({"session": "ses_01h2xcejqtf2nbrexx3vqjhp41", "bodyText": "x"}, "NOT_FOUND", "session"),
        ({"session": "a\x00", "bodyText": "x"}, "INVALID_INPUT", "session"),
        ({"session": "s\ud800", "bodyText": "x"}, "INVALID_INPUT", "session"),
    ):
        payload = (await ada.ask(WRITE_HANDOVER, input=said))["writeHandover"]
        assert payload["handover"] is None
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == (code, field), said
    assert await ada.entries() == []


async def test_malformed_requests_are_errors_with_codes(people: People) -> None:
    (ada,) = await people("ada")
    post = ada.http.post
    broken = await post("/graphql", content=b'{"query": ', headers={"content-type": "application/json"})
    assert broken.status_code == 400
    assert broken.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"
    nested = "inReplyTo { ... on Message { " * 25 + "id" + " } }" * 25
    refused = await ada.refused(f'{{ message(id: "{ABSENT}") {{ {nested} }} }}')
    assert (refused["code"], refused["limit"]) == ("LIMIT_EXCEEDED", "maxDepth")
    assert (await ada.refused("{ nothing }"))["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert (await ada.refused("{ inbox"))["code"] == "GRAPHQL_PARSE_FAILED"


@pytest.mark.parametrize("number", [2**63, 2**70, -(2**70)])
async def test_a_cursor_with_a_number_that_no_database_has_is_refused(people: People, number: int) -> None:
    (ada,) = await people("ada")
    for field in ("inbox", "handovers"):
        query = f"query($after: String) {{ {field}(after: $after) {{ edges {{ cursor }} }} }}"
        refusal = await ada.refused(query, after=encode_cursor(f"{field}:{ada.handle}", number))
        assert (refusal["code"], refusal["field"]) == ("INVALID_INPUT", "after")
