"""Who may see what: a stranger finds nothing by any path (DESIGN §3.6, §3.10, §7; LESSONS 10, 11)."""

from pathlib import Path

import httpx
from pydantic import SecretStr

from graph.bootstrap import Graph
from graph.keys import KeyRing, issued_keys, revoke
from tests.api.client import MARK_READ, REMEMBER, SEND, Data, Person
from tests.api.conftest import People

EVERY_PATH = """
query Everything($message: ID!, $thread: ID!, $session: ID!, $memory: ID!, $ticket: ID!) {
  message(id: $message) { id }
  asMessage: node(id: $message) { id }
  threadByMember: thread(id: $message) { id }
  thread(id: $thread) { id }
  asThread: node(id: $thread) { id }
  asSession: node(id: $session) { id }
  memory(id: $memory) { id }
  asMemory: node(id: $memory) { id }
  asTicket: node(id: $ticket) { id }
  several: nodes(ids: [$message, $thread, $session, $memory, $ticket]) { id }
  inbox { edges { node { uid } } unreadCount totalCount }
  sent { edges { node { id } } totalCount }
  handovers(filter: { pending: null }) { edges { node { pending } } }
}
"""


async def _story(ada: Person, to: Person, ticket: str) -> Data:
    """Let ada keep a memory in a session and mail it; return the ids of everything there is to see."""
    opened = await ada.ask(
        "mutation($input: SendMessageInput!) { sendMessage(input: $input) { message { originSession { id } } } }",
        input={"to": ["@self"], "subject": "Begin", "bodyText": "", "originSession": "s-1"},
    )
    session = opened["sendMessage"]["message"]["originSession"]["id"]
    memory = (await ada.ask(REMEMBER, input={"text": "Tides turn.", "session": "s-1"}))["remember"]["memory"]["id"]
    sent = await ada.sends(to.handle, originSession=session, memories=[memory], tickets=[ticket])
    return {
        "message": sent["id"],
        "thread": sent["thread"]["id"],
        "session": session,
        "memory": memory,
        "ticket": f"ticket:{ticket}",
    }


async def test_a_stranger_finds_nothing_by_any_path(people: People) -> None:
    ada, bea, eve = await people("ada", "bea", "eve")
    ids = await _story(ada, bea, f"{ada.handle[1:]}#1")
    seen = await eve.ask(EVERY_PATH, **ids)
    assert seen.pop("several") == [None] * 5
    assert seen.pop("inbox") == {"edges": [], "unreadCount": 0, "totalCount": 0}
    assert seen.pop("sent") == {"edges": [], "totalCount": 0}
    assert seen.pop("handovers") == {"edges": []}
    assert all(value is None for value in seen.values()), seen
    # Nor can she act on it, and the answer is that of something that was never there.
    absent = "msg_01h2xcejqtf2nbrexx3vqjhp41"
    reply, other = [(await eve.tries(bea.handle, inReplyTo=id_))["refusal"] for id_ in (ids["message"], absent)]
    assert reply["code"] == other["code"] == "NOT_FOUND"
    assert reply["message"].replace(ids["message"], "") == other["message"].replace(absent, "")
    (marked,) = (await eve.ask(MARK_READ, ids=[ids["message"]]))["markRead"]["results"]
    assert marked["refusal"]["code"] == "NOT_FOUND"
    for field, value in (("memories", ids["memory"]), ("relatedSessions", ids["session"])):
        payload = await eve.tries(bea.handle, **{field: [value]})
        assert (payload["refusal"]["code"], payload["refusal"]["field"]) == ("NOT_FOUND", field)
    payload = await eve.tries(bea.handle, originSession=ids["session"])
    assert payload["refusal"]["code"] == "NOT_FOUND"


async def test_sender_and_recipient_find_everything(people: People) -> None:
    ada, bea = await people("ada", "bea")
    ids = await _story(ada, bea, f"{ada.handle[1:]}#1")
    for reader in (ada, bea):
        seen = await reader.ask(EVERY_PATH, **ids)
        assert [node["id"] for node in seen["several"]] == list(ids.values())
        assert seen["message"]["id"] == seen["asMessage"]["id"] == ids["message"]
        assert seen["thread"]["id"] == seen["threadByMember"]["id"] == seen["asThread"]["id"] == ids["thread"]
        assert seen["memory"]["id"] == ids["memory"]
    query = """query($id: ID!) { message(id: $id) {
      bodyText notice originSession { externalId agent { handle } } relatedSessions { id }
      tickets { id key url } memories { id text notice } inReplyTo { __typename }
    } }"""
    message = (await bea.ask(query, id=ids["message"]))["message"]
    assert message["originSession"] == {"externalId": "s-1", "agent": {"handle": ada.handle}}
    assert message["memories"][0]["text"] == "Tides turn."
    assert message["tickets"][0]["id"] == ids["ticket"]
    assert message["inReplyTo"] is None
    assert "data" in message["notice"]


async def test_a_memory_is_private_until_its_agent_refers_to_it(people: People) -> None:
    """Seed 002: a memory can be answered and referred to; it travels with the message of its agent that names it."""
    ada, bea = await people("ada", "bea")
    memory = (await ada.ask(REMEMBER, input={"text": "Private."}))["remember"]["memory"]["id"]
    query = "query($id: ID!) { memory(id: $id) { text } }"
    answer = await ada.sends(bea.handle, inReplyTo=memory)
    assert (await bea.ask(query, id=memory))["memory"] is None
    in_reply_to = "query($id: ID!) { message(id: $id) { inReplyTo { ... on Memory { id text } } } }"
    assert (await ada.ask(in_reply_to, id=answer["id"]))["message"]["inReplyTo"]["text"] == "Private."
    assert (await bea.ask(in_reply_to, id=answer["id"]))["message"]["inReplyTo"] is None
    await ada.sends(bea.handle, memories=[memory])
    assert (await bea.ask(query, id=memory))["memory"]["text"] == "Private."
    reply = await bea.sends(inReplyTo=memory)
    assert [one["address"] for one in reply["recipients"]] == [ada.handle]


async def test_another_mailbox_is_not_found(people: People) -> None:
    ada, bea = await people("ada", "bea")
    await ada.sends(bea.handle)
    query = "query($mailbox: Address!) { inbox(mailbox: $mailbox) { unreadCount } }"
    assert (await ada.refused(query, mailbox=bea.handle))["code"] == "NOT_FOUND"
    assert (await ada.refused(query, mailbox="@nobody-at-all"))["code"] == "NOT_FOUND"
    assert (await bea.ask(query, mailbox="@self"))["inbox"]["unreadCount"] == 1
    assert (await bea.ask(query, mailbox=bea.handle))["inbox"]["unreadCount"] == 1


async def test_no_argument_can_set_the_sender(people: People) -> None:
    """DESIGN §3.6, LESSONS 11: the sender is who the key says."""
    ada, bea = await people("ada", "bea")
    for field in ("from", "sender", "userId", "agentIdentity"):
        said = {"to": [bea.handle], "subject": "x", "bodyText": "y", field: bea.handle}
        assert (await ada.refused(SEND, input=said))["code"] == "BAD_USER_INPUT"
    assert await bea.entries() == []


async def test_only_health_and_the_sunset_gate_answer_nobody(nobody: Person) -> None:
    """DESIGN §7: loopback is not a credential."""
    for query in (
        "{ me { handle } }",
        "{ inbox { unreadCount } }",
        "{ sent { totalCount } }",
        "{ handovers { notice } }",
        "{ limits { maxDepth } }",
        '{ search(query: "x") { totalCount } }',
        '{ node(id: "@operator") { id } }',
        "{ nodes(ids: []) { id } }",
        '{ message(id: "x") { id } }',
        '{ thread(id: "x") { id } }',
        '{ memory(id: "x") { id } }',
        'mutation { markRead(ids: ["x"]) { state } }',
        'mutation { remember(input: { text: "x" }) { memory { id } } }',
        'mutation { sendMessage(input: { to: ["@all"], subject: "x", bodyText: "x" }) { duplicate } }',
        'mutation { acceptHandovers(input: { session: "x" }) { accepted { pending } } }',
        'mutation { returnHandovers(session: "x") { returned { pending } } }',
        'mutation { registerAgent(input: { handle: "@x" }) { key } }',
    ):
        assert (await nobody.refused(query))["code"] == "UNAUTHENTICATED", query
    health = (await nobody.ask("{ health { status identity { source bound handle } mailbox { unreadCount } } }"))[
        "health"
    ]
    assert health == {
        "status": "ok",
        "identity": {"source": "unresolved", "bound": False, "handle": None},
        "mailbox": None,
    }


async def test_a_revoked_key_and_a_key_of_another_server_open_nothing(graph: Graph, people: People) -> None:
    (ada,) = await people("ada")
    assert (await ada.ask("{ me { handle } }"))["me"]["handle"] == ada.handle
    (issued,) = await issued_keys(graph.database, ada.handle)
    assert await revoke(graph.database, graph.clock, issued.id) == ada.handle
    foreign = Person(ada.http, ada.handle, "hg_" + "x" * 43)
    for person in (ada, foreign, Person(ada.http, "", "hg_"), Person(ada.http, "", "not-a-key")):
        assert (await person.refused("{ me { handle } }"))["code"] == "UNAUTHENTICATED"
        health = (await person.ask("{ health { identity { bound } } }"))["health"]
        assert health["identity"]["bound"] is False


async def test_only_an_operator_registers(people: People, operator: Person) -> None:
    (ada,) = await people("ada")
    query = """mutation($input: RegisterAgentInput!) { registerAgent(input: $input) {
      agent { id handle displayName kind status createdAt lastSeenAt } key refusal { code field message }
    } }"""
    name = ada.handle.replace("ada", "new")
    refused = (await ada.ask(query, input={"handle": name}))["registerAgent"]
    assert refused["refusal"]["code"] == "FORBIDDEN"
    assert refused["key"] is refused["agent"] is None

    made = (await operator.ask(query, input={"handle": name, "displayName": "New"}))["registerAgent"]
    assert made["refusal"] is None
    assert made["agent"]["id"] == made["agent"]["handle"] == name
    new = Person(ada.http, name, made["key"])
    assert (await new.ask("{ me { handle kind status } }"))["me"] == {
        "handle": name,
        "kind": "AGENT",
        "status": "ACTIVE",
    }
    again = (await operator.ask(query, input={"handle": name.upper()}))["registerAgent"]
    assert (again["refusal"]["code"], again["refusal"]["field"]) == ("CONFLICT", "handle")
    for handle in ("@self", "@all", "", "@", "@a b", "@\u0430da", "role:x", "@" + "a" * 65, "@system", "@\ud800"):
        bad = (await operator.ask(query, input={"handle": handle}))["registerAgent"]
        assert (bad["refusal"]["code"], bad["refusal"]["field"]) == ("INVALID_INPUT", "handle"), handle


async def test_nothing_in_the_graph_is_a_key(graph: Graph, people: People, http: httpx.AsyncClient) -> None:
    """DESIGN §7: whoever reads the whole graph has nothing to log in with."""
    (ada,) = await people("ada")
    assert ada.key is not None
    other = KeyRing(SecretStr("p" * 40))
    assert graph.keys.digest(ada.key) != other.digest(ada.key)
    (issued,) = await issued_keys(graph.database, ada.handle)
    for guess in (issued.id, graph.keys.digest(ada.key), f"hg_{graph.keys.digest(ada.key)}"):
        assert (await Person(http, "", guess).refused("{ me { handle } }"))["code"] == "UNAUTHENTICATED"
    pepper = Path(graph.settings.home) / "pepper"
    assert pepper.stat().st_mode & 0o777 == 0o600
