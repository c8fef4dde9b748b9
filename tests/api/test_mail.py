"""Sending and reading back as the other party (DESIGN §3.1, §3.2, §3.4, §3.7, §3.9; LESSONS 1 to 3, 8, 15)."""

import asyncio
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.api.client import INBOX, MARK_READ, SEND, Data, Person
from tests.api.conftest import People


async def test_to_cc_and_everyone_each_read_it_once_unread(people: People) -> None:
    """LESSONS 1, DESIGN §3.2: what is acknowledged is in every recipient's inbox, and in nobody's twice."""
    ada, bea, cy, dee = await people("ada", "bea", "cy", "dee")
    message = await ada.sends(bea.handle, "@all", cc=[cy.handle], subject="Low water", tags=["#Tide"])

    for reader, via in ((bea, "DIRECT"), (cy, "DIRECT"), (dee, "BROADCAST")):
        (entry,) = await reader.entries()
        assert entry["message"]["id"] == message["id"]
        assert entry["message"]["sender"]["handle"] == ada.handle
        assert entry["message"]["tags"] == entry["tags"] == ["tide"]
        assert (entry["uid"], entry["unread"], entry["via"]) == (1, True, via)
        page = await reader.inbox(filter={"unread": True})
        assert page["unreadCount"] == page["totalCount"] == len(page["edges"]) == 1
    assert await ada.entries() == []
    addressed = {(one["address"], one["kind"]) for one in message["recipients"]}
    assert addressed == {(bea.handle, "TO"), ("@all", "TO"), (cy.handle, "CC")}


async def test_who_comes_later_did_not_get_a_broadcast(people: People) -> None:
    """DESIGN §3.7: a broadcast's audience is fixed when it is sent."""
    ada, bea = await people("ada", "bea")
    message = await ada.sends("@all")
    (late,) = await people("late")

    assert [entry["message"]["id"] for entry in await bea.entries()] == [message["id"]]
    assert await late.entries() == []
    assert (await late.ask("query($id: ID!) { message(id: $id) { id } }", id=message["id"]))["message"] is None


async def test_an_unknown_address_is_refused_with_the_nearest_and_nothing_is_stored(people: People) -> None:
    """DESIGN §3.2: `@bee` is refused with `@bea` among the candidates."""
    ada, bea = await people("ada", "bea")
    misspelt = bea.handle.replace("bea", "bee")
    payload = await ada.tries(bea.handle, misspelt)

    assert payload["message"] is None
    assert payload["refusal"]["code"] == "UNKNOWN_ADDRESS"
    assert payload["refusal"]["field"] == "to"
    assert bea.handle in payload["refusal"]["candidates"]
    assert await bea.entries() == []
    assert (await ada.ask("{ sent { totalCount } }"))["sent"]["totalCount"] == 0


async def test_the_same_key_twenty_times_at_once_is_one_message(people: People) -> None:
    """DESIGN §3.9, LESSONS 15: twenty answers with one id; other content with the same key is refused."""
    ada, bea = await people("ada", "bea")
    said = {"to": [bea.handle], "subject": "Once", "bodyText": "Only once.", "idempotencyKey": "tide-1"}
    answers = await asyncio.gather(*(ada.ask(SEND, input=said) for _ in range(20)))

    payloads = [answer["sendMessage"] for answer in answers]
    assert len({payload["message"]["id"] for payload in payloads}) == 1
    assert sorted(payload["duplicate"] for payload in payloads) == [False] + [True] * 19
    assert len(await bea.entries()) == 1

    other = await ada.tries(bea.handle, subject="Once", bodyText="Twice.", idempotencyKey="tide-1")
    assert other["refusal"]["code"] == "IDEMPOTENCY_CONFLICT"
    assert other["message"] is None
    assert len(await bea.entries()) == 1
    # However things are named, the content is the same: a session by either id, whom one answers by leaving `to` out.
    opened = await ada.sends(bea.handle, originSession="s-1", idempotencyKey="tide-2")
    query = "query($id: ID!) { message(id: $id) { originSession { id } } }"
    session = (await ada.ask(query, id=opened["id"]))["message"]["originSession"]["id"]
    again = await ada.tries(bea.handle, originSession=session, idempotencyKey="tide-2")
    assert (again["duplicate"], again["message"]["id"]) == (True, opened["id"])
    answer = await bea.sends(inReplyTo=opened["id"], idempotencyKey="tide-3")
    again = await bea.tries(ada.handle, inReplyTo=opened["id"], idempotencyKey="tide-3")
    assert (again["duplicate"], again["message"]["id"]) == (True, answer["id"])
    # The key is the sender's own: another sender may use the same.
    assert (await bea.tries(ada.handle, idempotencyKey="tide-1"))["duplicate"] is False


async def test_reading_marks_one_entry_for_one_reader(people: People) -> None:
    """DESIGN §3.4, LESSONS 2, 3: one carrier of the read state, for direct and broadcast mail alike."""
    ada, bea, cy = await people("ada", "bea", "cy")
    direct = await ada.sends(bea.handle, cc=[cy.handle])
    everyone = await ada.sends("@all")
    unknown = "msg_01h2xcejqtf2nbrexx3vqjhp41"
    ids = [direct["id"], everyone["id"], unknown, "nonsense", direct["id"]]
    marked = (await bea.ask(MARK_READ, ids=ids))["markRead"]

    assert marked["refusal"] is None
    assert [result["id"] for result in marked["results"]] == ids
    assert [result["refusal"] and result["refusal"]["code"] for result in marked["results"]] == [
        None, None, "NOT_FOUND", "NOT_FOUND", None,
    ]  # fmt: skip
    assert [entry["unread"] for entry in await bea.entries()] == [False, False]
    assert [entry["unread"] for entry in await cy.entries()] == [True, True]
    assert (await bea.inbox())["unreadCount"] == 0
    first = marked["results"][0]["delivery"]["readAt"]
    again = (await bea.ask(MARK_READ, ids=[direct["id"]]))["markRead"]["results"][0]["delivery"]
    assert again == {"unread": False, "readAt": first}


async def test_a_reply_goes_to_the_one_who_is_answered(people: People) -> None:
    """DESIGN §5: `to` may be left out of a reply; a follow-up to one's own message goes to the same people again."""
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cc=[cy.handle])
    reply = await bea.sends(inReplyTo=root["id"])
    follow_up = await ada.sends(inReplyTo=root["id"])

    assert [one["address"] for one in reply["recipients"]] == [ada.handle]
    assert [one["address"] for one in follow_up["recipients"]] == [bea.handle]
    assert root["thread"] == reply["thread"] == follow_up["thread"]


async def test_a_filtered_inbox_holds_what_a_plain_one_would_pick(people: People) -> None:
    """DESIGN §5: whichever index serves it, a filter picks exactly the entries that fit, newest first."""
    ada, bea, reader = await people("ada", "bea", "reader")
    sent = []
    for number in range(12):
        sender = (ada, bea)[number % 2]
        tags = [["tide"], ["tide", "spring"], []][number % 3]
        priority = ("NORMAL", "HIGH")[number % 4 == 0]
        to = "@all" if number % 5 == 0 else reader.handle
        sent.append(await sender.sends(to, tags=tags, priority=priority))
    thread = sent[4]["thread"]["id"]
    await reader.sends(reader.handle, inReplyTo=sent[4]["id"])
    await ada.sends(reader.handle, inReplyTo=sent[4]["id"], tags=["tide"])
    await reader.ask(MARK_READ, ids=[sent[1]["id"], sent[2]["id"]])
    high = {message["id"] for number, message in enumerate(sent) if number % 4 == 0}

    filters: list[Data] = [
        {"unread": True},
        {"unread": False},
        {"from": ada.handle},
        {"from": f"AGENT:{ada.handle.upper()}"},  # a near miss means the same sender
        {"tags": ["CONCEPT:Tide"]},
        {"tags": ["tide", "spring"]},
        {"thread": thread},
        {"thread": thread, "from": ada.handle},
        {"tags": ["tide"], "unread": True},
        {"priority": "HIGH"},
        {"via": "BROADCAST"},
        {"includeArchived": True},
    ]

    def fits(entry: Data, asked: Data) -> bool:
        message, tags = entry["message"], {tag.lower().removeprefix("concept:") for tag in asked.get("tags", ())}
        return (
            entry["unread"] is asked.get("unread", entry["unread"])
            and ("from" not in asked or message["sender"]["handle"] == ada.handle)
            and tags <= set(entry["tags"])
            and message["thread"]["id"] == asked.get("thread", message["thread"]["id"])
            and ("priority" not in asked or message["id"] in high)
            and entry["via"] == asked.get("via", entry["via"])
        )

    everything = await reader.entries()
    for asked in filters:
        expected = [entry for entry in everything if fits(entry, asked)]
        assert expected, f"{asked} picks nothing and shows nothing"
        page = await reader.inbox(filter=asked, first=100)
        assert [edge["node"] for edge in page["edges"]] == expected, asked
        assert (page["totalCount"], page["totalCapped"]) == (len(expected), False), asked
        # The same list, three at a time.
        paged, after = [], None
        while after is None or page["pageInfo"]["hasNextPage"]:
            page = await reader.inbox(first=3, after=after, filter=asked)
            paged += [edge["node"] for edge in page["edges"]]
            after = page["pageInfo"]["endCursor"]
        assert paged == expected, asked


async def test_a_cursor_stays_good_while_mail_arrives(people: People) -> None:
    """LESSONS 8: nothing is shown twice and nothing is skipped when mail comes between two pages."""
    ada, bea = await people("ada", "bea")
    ids = [(await ada.sends(bea.handle))["id"] for _ in range(6)]
    first = await bea.inbox(first=3)
    await ada.sends(bea.handle)
    second = await bea.inbox(first=3, after=first["pageInfo"]["endCursor"])

    shown = [edge["node"]["message"]["id"] for page in (first, second) for edge in page["edges"]]
    assert shown == ids[::-1]
    assert first["pageInfo"]["hasNextPage"]
    assert not second["pageInfo"]["hasNextPage"]


SENT = """
query Sent($filter: SentFilter, $first: Int = 20, $after: String) {
  sent(filter: $filter, first: $first, after: $after) {
    edges { node { id } } pageInfo { hasNextPage endCursor } totalCount
  }
}
"""


async def _sent(person: Person, **filter_: Any) -> list[str]:
    ids, after = [], None
    while True:
        page = (await person.ask(SENT, filter=filter_, first=2, after=after))["sent"]
        ids += [edge["node"]["id"] for edge in page["edges"]]
        if not page["pageInfo"]["hasNextPage"]:
            assert page["totalCount"] == len(ids)
            return ids
        after = page["pageInfo"]["endCursor"]


async def test_sent_lists_what_one_sent_newest_first(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    to_bea = await ada.sends(bea.handle, tags=["tide"])
    to_cy = await ada.sends(cy.handle, cc=[bea.handle])
    reply = await ada.sends(bea.handle, inReplyTo=to_bea["id"])
    await bea.sends(ada.handle)

    assert await _sent(ada) == [reply["id"], to_cy["id"], to_bea["id"]]
    assert await _sent(ada, to=bea.handle) == [reply["id"], to_cy["id"], to_bea["id"]]
    assert await _sent(ada, to=cy.handle) == [to_cy["id"]]
    assert await _sent(ada, tags=["tide"]) == [to_bea["id"]]
    assert await _sent(ada, thread=to_bea["thread"]["id"]) == [reply["id"], to_bea["id"]]
    assert await _sent(ada, until="2001-01-01T00:00:00Z") == []
    assert len(await _sent(ada, since="2001-01-01T00:00:00Z")) == 3


async def test_a_follow_up_to_ones_own_broadcast_reaches_everyone_again(people: People) -> None:
    """DESIGN §3.2: also where the reply leaves out to whom it goes."""
    ada, bea, cy = await people("ada", "bea", "cy")
    first = await ada.sends("@all")
    second = await ada.sends(inReplyTo=first["id"])
    fork = await ada.sends(inReplyTo=first["id"], cc=[cy.handle], thread="new")
    for reader in (bea, cy):
        assert [entry["message"]["id"] for entry in await reader.entries()] == [fork["id"], second["id"], first["id"]]
    # Whoever answers another's broadcast answers its sender alone.
    await bea.sends(inReplyTo=first["id"])
    assert len(await cy.entries()) == 3


async def test_times_mean_the_same_in_every_offset(people: People) -> None:
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle)
    (entry,) = await bea.entries()
    delivered = datetime.fromisoformat(entry["deliveredAt"])
    for hours in (-5, 0, 5.5, 14):
        same = delivered.astimezone(timezone(timedelta(hours=hours))).isoformat()
        later = (delivered + timedelta(milliseconds=1)).astimezone(timezone(timedelta(hours=hours))).isoformat()
        assert await bea.entries(filter={"since": same}) == [entry]
        assert await bea.entries(filter={"since": later}) == []
        assert len(await _sent(ada, since=same, until=same)) == 1
    for beyond in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        refused = await bea.refused(INBOX, filter={"since": beyond})
        assert (refused["code"], refused["field"]) == ("INVALID_INPUT", "since")


async def test_words_of_every_language_make_a_subject(people: People) -> None:
    """Joiners are letters of a word, not control characters."""
    ada, bea = await people("ada", "bea")
    subject = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469\u200d\U0001f467"
    message = await ada.sends(bea.handle, subject=subject, tags=["\u0645\u06cc\u200c\u062e"])
    assert message["subject"] == subject
    assert await bea.entries(filter={"tags": message["tags"]})


async def test_each_mutation_of_a_request_reads_back_what_it_wrote(people: People) -> None:
    ada, bea = await people("ada", "bea")
    root = await ada.sends(bea.handle)
    send = f"""sendMessage(input: {{ inReplyTo: "{root["id"]}", subject: "Re", bodyText: "" }}) {{
      message {{ inReplyTo {{ ... on Message {{ replies {{ totalCount }} thread {{ messageCount }} }} }} }}
    }}"""
    data = await bea.ask(f"mutation {{ one: {send} two: {send} }}")
    counts = [data[name]["message"]["inReplyTo"] for name in ("one", "two")]
    assert [count["replies"]["totalCount"] for count in counts] == [1, 2]
    assert [count["thread"]["messageCount"] for count in counts] == [2, 3]
