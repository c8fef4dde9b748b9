"""Sunset handovers through the API (seed 000, DESIGN §6)."""

import asyncio

from tests.api.client import ACCEPT, HANDOVERS, RETURN, WRITE_HANDOVER, Data, Person
from tests.api.conftest import People
from tests.api.test_concepts import define

TAG = "sunset-protocol-handover"


async def _write(agent: Person, session: str, **said: object) -> Data:
    said = {"session": session, "bodyText": f"What {session} left.", **said}
    payload: Data = (await agent.ask(WRITE_HANDOVER, input=said))["writeHandover"]
    return payload


async def _listed(agent: Person, **filter_: object) -> list[Data]:
    page = (await agent.ask(HANDOVERS, filter=filter_))["handovers"]
    return [edge["node"] for edge in page["edges"]]


async def _accept(agent: Person, session: str, ids: list[str] | None = None) -> Data:
    payload: Data = (await agent.ask(ACCEPT, input={"session": session, "ids": ids}))["acceptHandovers"]
    return payload


async def test_of_twelve_successors_one_gets_the_stack(people: People) -> None:
    """DESIGN §6: three stacked, oldest first; one session gets all, the others nothing; given back, pending again."""
    (ada,) = await people("ada")
    written = [(await _write(ada, f"sunset-{number}"))["handover"]["message"]["id"] for number in range(3)]
    assert [one["message"]["id"] for one in await _listed(ada)] == written

    answers = await asyncio.gather(*(_accept(ada, f"dawn-{number}") for number in range(12)))
    assert all(answer["refusal"] is None for answer in answers)
    won = [number for number, answer in enumerate(answers) if answer["accepted"]]
    assert len(won) == 1
    (winner,) = won
    taken = answers[winner]
    assert [one["message"]["id"] for one in taken["accepted"]] == written
    assert taken["effective"]["message"]["id"] == written[-1]
    assert all(answer["effective"] is None for number, answer in enumerate(answers) if number != winner)
    assert {one["acceptedBy"]["externalId"] for one in taken["accepted"]} == {f"dawn-{winner}"}

    assert await _listed(ada) == []
    assert [one["message"]["id"] for one in await _listed(ada, pending=None)] == written
    assert [one["message"]["id"] for one in await _listed(ada, pending=False)] == written
    assert (await ada.inbox())["unreadCount"] == 0
    assert [entry["unread"] for entry in await ada.entries()] == [False] * 3
    # The same session asking again gets the same answer.
    assert await _accept(ada, f"dawn-{winner}") == taken

    returned = (await ada.ask(RETURN, session=f"dawn-{winner}"))["returnHandovers"]
    assert returned["refusal"] is None
    assert [one["pending"] for one in returned["returned"]] == [True] * 3
    assert [one["message"]["id"] for one in await _listed(ada)] == written
    assert len((await _accept(ada, "noon"))["accepted"]) == 3


async def test_a_plain_send_to_oneself_with_the_tag_is_the_same(people: People) -> None:
    """DESIGN §6: the graph is the same whichever way it was written."""
    (ada,) = await people("ada")
    plain = await ada.sends("@self", subject="By hand", tags=[TAG], originSession="s-1")
    written = (await _write(ada, "s-2"))["handover"]

    first, second = await _listed(ada)
    assert first["message"]["id"] == plain["id"]
    assert first["session"]["externalId"] == "s-1"
    assert second == written
    assert written["message"]["subject"] == "Sunset Protocol Handover — session s-2"
    assert written["message"]["tags"] == [TAG]
    assert written["pending"] is True
    tagged = await ada.entries(filter={"tags": [TAG]})
    assert [entry["message"]["id"] for entry in tagged] == [second["message"]["id"], first["message"]["id"]]


async def test_the_tag_is_reserved(people: People) -> None:
    """Seed 000, avoided traps: never to others, a broadcast above all, and never without the session it comes from."""
    ada, bea = await people("ada", "bea")
    for to, origin in ((["@all"], "s"), ([bea.handle], "s"), (["@self", bea.handle], "s"), (["@self"], None)):
        for tag in ("Sunset-Protocol-Handover", "#CONCEPT:#sunset-protocol-handover"):
            payload = await ada.tries(*to, tags=[tag], originSession=origin)
            assert payload["refusal"]["code"] == "RESERVED_TAG"
    assert await _listed(ada, pending=None) == []
    assert await bea.entries() == []


async def test_reading_is_not_accepting(people: People) -> None:
    """DESIGN §6: accepted means read; marking read does not accept."""
    (ada,) = await people("ada")
    message = (await _write(ada, "s"))["handover"]["message"]["id"]
    await ada.ask("mutation($ids: [ID!]) { markRead(ids: $ids) { state } }", ids=[message])

    assert [one["message"]["id"] for one in await _listed(ada)] == [message]
    assert len((await _accept(ada, "t"))["accepted"]) == 1


async def test_with_ids_exactly_those_or_nothing(people: People) -> None:
    ada, bea = await people("ada", "bea")
    one, two, three = [(await _write(ada, f"s-{number}"))["handover"]["message"]["id"] for number in range(3)]
    mail = (await ada.sends("@self"))["id"]
    assert [h["message"]["id"] for h in (await _accept(ada, "early", [two]))["accepted"]] == [two]

    for ids, code in (([one, two], "ALREADY_ACCEPTED"), ([one, mail], "NOT_FOUND"), ([], "INVALID_INPUT")):
        payload = await _accept(ada, "later", ids)
        assert payload["refusal"]["code"] == code
        assert payload["accepted"] is None
    assert [h["message"]["id"] for h in await _listed(ada)] == [one, three]
    assert (await _accept(bea, "stranger", [one]))["refusal"]["code"] == "NOT_FOUND"

    refused = (await ada.ask(RETURN, session="early", ids=[one]))["returnHandovers"]["refusal"]
    assert refused["code"] == "NOT_FOUND"
    assert len((await ada.ask(RETURN, session="early", ids=[two]))["returnHandovers"]["returned"]) == 1
    assert len(await _listed(ada)) == 3


async def test_handovers_are_found_by_tag_and_in_pages(people: People) -> None:
    (ada,) = await people("ada")
    ids = []
    for number in range(5):
        tags = ["parser"] if number % 2 else []
        ids.append((await _write(ada, f"s-{number}", tags=tags, tickets=["neo#10347"]))["handover"]["message"]["id"])
    assert [h["message"]["id"] for h in await _listed(ada, tags=["Parser"])] == [ids[1], ids[3]]
    page = (await ada.ask(HANDOVERS, first=3))["handovers"]
    rest = (await ada.ask(HANDOVERS, first=3, after=page["pageInfo"]["endCursor"]))["handovers"]
    assert [edge["node"]["message"]["id"] for p in (page, rest) for edge in p["edges"]] == ids


async def test_writing_again_with_the_same_key_is_one_handover(people: People) -> None:
    """DESIGN §3.9, for handovers."""
    (ada,) = await people("ada")
    first = await _write(ada, "s", idempotencyKey="sunset")
    assert await _write(ada, "s", idempotencyKey="sunset") == first
    other = await _write(ada, "s", idempotencyKey="sunset", bodyText="Something else.")
    assert other["refusal"]["code"] == "IDEMPOTENCY_CONFLICT"
    assert len(await _listed(ada)) == 1


async def test_without_an_identity_a_sunset_goes_on(nobody: Person) -> None:
    """Seed 000: the gate refuses gently, with the reason, so that the sunset can go on without it."""
    payload = (await nobody.ask(WRITE_HANDOVER, input={"session": "s", "bodyText": "Lost?"}))["writeHandover"]
    assert payload["handover"] is None
    assert payload["refusal"]["code"] == "IDENTITY_UNBOUND"
    assert "API key" in payload["refusal"]["message"]


async def test_a_handover_is_found_by_an_alias_of_its_tag(people: People, operator: Person) -> None:
    (ada,) = await people("ada")
    concept, before, after = (f"{name}-{ada.handle[1:]}" for name in ("amphibian", "toad", "newt"))
    written = [await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "One.", "tags": [before]})]
    await define(operator, concept, aliases=[before, after])
    written.append(await ada.ask(WRITE_HANDOVER, input={"session": "s-1", "bodyText": "Two.", "tags": [after]}))
    ids = [one["writeHandover"]["handover"]["message"]["id"] for one in written]
    for tag in (concept, before, after):
        page = (await ada.ask(HANDOVERS, filter={"tags": [tag]}))["handovers"]
        assert [edge["node"]["message"]["id"] for edge in page["edges"]] == ids
