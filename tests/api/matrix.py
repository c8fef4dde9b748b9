"""Who may see and do what: every query and mutation of the schema, and which of ten callers it answers (issues 4, 5).

One letter is one caller: Sender, Recipient, Cc, role member (Q), Grantee of the recipient's inbox, Blocked though
granted the same, X a stranger, Operator, N without a key, and an Analyst, who sees everything and is refused every act.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.api.client import Data

EVERYBODY = "SRCQGBXONA"
WITH_KEY = "SRCQGBXOA"
#: Who takes part in the message that the story is about, and who sees it, by whatever path.
PARTIES = "SRCQG"
SEEING = f"{PARTIES}A"


@dataclass(frozen=True)
class Look:
    """A way to look at something: the selection on the root, and who finds it there.

    What is found is whatever is neither null, nor empty, nor zero at the end of ``path``; lists of edges are looked
    into for the message itself where ``lists`` says so.
    """

    name: str
    selection: str
    sees: str
    path: tuple[str, ...] = ()
    lists: bool = False
    said: dict[str, Any] = field(default_factory=dict)


#: The mail that leads to a node by one type of edge.
MAIL_OF = "neighbors(id: $%s, types: [%s], direction: IN) { edges { node { id } } }"

LOOKS = [
    Look("message", "message(id: $message) { id }", SEEING),
    Look("message", "message(id: $message) { bodyText }", SEEING, ("bodyText",)),
    Look("message", "message(id: $message) { receipts { totalCount } }", "SA", ("receipts", "totalCount")),
    Look("node", "node(id: $message) { id }", SEEING),
    Look("node", "node(id: $thread) { id }", SEEING),
    Look("node", "node(id: $session) { id }", SEEING),
    Look("node", "node(id: $memory) { id }", SEEING),
    Look("node", "node(id: $ticket) { id }", SEEING),
    Look("node", "node(id: $task) { id }", SEEING),
    Look("node", "node(id: $concept) { id }", SEEING),
    Look("node", "node(id: $role) { id }", WITH_KEY),
    Look("node", "node(id: $recipient) { id }", WITH_KEY),
    Look("nodes", "nodes(ids: [$message, $thread, $session, $memory, $ticket, $task, $concept]) { id }", SEEING),
    Look("thread", "thread(id: $message) { id }", SEEING),
    Look("thread", "thread(id: $thread) { messageCount }", SEEING, ("messageCount",)),
    Look("thread", "thread(id: $thread) { participants { handle } }", SEEING, ("participants",)),
    Look("thread", "thread(id: $thread) { heads { edges { node { id } } } }", SEEING, ("heads", "edges")),
    Look("thread", "thread(id: $thread) { participation { totalCount } }", SEEING, ("participation", "totalCount")),
    Look("threads", "threads(filter: { tags: [$tag] }) { edges { node { id } } }", SEEING, ("edges",)),
    Look("threads", "threads(filter: { open: true, tags: [$tag] }) { edges { node { id } } }", SEEING, ("edges",)),
    Look("memory", "memory(id: $memory) { text }", SEEING),
    Look("task", "task(id: $task) { state history { edges { cursor } } }", SEEING),
    Look("neighbors", "neighbors(id: $message) { edges { node { id } } }", SEEING, ("edges",)),
    Look("neighbors", "neighbors(id: $message, types: [DELIVERED_TO]) { edges { node { id } } }", SEEING, ("edges",)),
    *(
        Look("neighbors", f"neighbors(id: ${node}) {{ edges {{ node {{ id }} }} }}", SEEING, lists=True)
        for node in ("ticket", "memory", "session", "task")
    ),
    Look("neighbors", "neighbors(id: $thread) { edges { node { id } } }", SEEING, lists=True),
    Look("neighbors", MAIL_OF % ("recipient", "DELIVERED_TO"), "SRGA", lists=True),
    Look("neighbors", MAIL_OF % ("role", "DELIVERED_TO"), "SQA", lists=True),
    Look("neighbors", MAIL_OF % ("recipient", "SENT_TO"), SEEING, lists=True),
    Look("neighbors", MAIL_OF % ("sender", "SENT_BY"), SEEING, lists=True),
    Look("neighbors", MAIL_OF % ("concept", "TAGGED_CONCEPT"), SEEING, lists=True),
    Look("path", "path(from: $message, to: $recipient) { paths { nodes { id } } }", SEEING, ("paths",)),
    Look("path", "path(from: $sender, to: $ticket) { paths { nodes { id } } }", SEEING, ("paths",)),
    Look("path", "path(from: $sender, to: $recipient, via: [SENT_BY, SENT_TO]) { hops }", SEEING, ("hops",)),
    Look("subgraph", "subgraph(seed: $message) { nodes { id } }", SEEING, ("nodes",)),
    Look("subgraph", "subgraph(seed: $recipient, via: [SENT_TO]) { edges { at } }", SEEING, ("edges",)),
    Look("searchNodes", "searchNodes(query: $word, labels: [MESSAGE]) { nodes { id } }", SEEING, ("nodes",)),
    Look("searchNodes", "searchNodes(query: $word, labels: [CONCEPT]) { nodes { id } }", SEEING, ("nodes",)),
    Look("searchNodes", "searchNodes(query: $word, labels: [SESSION]) { nodes { id } }", "SA", ("nodes",)),
    Look("searchNodes", 'searchNodes(query: "tides", labels: [MEMORY]) { nodes { id } }', "SA", ("nodes",)),
    Look("searchGraph", "searchGraph(query: $word) { nodes { id } }", SEEING, ("nodes",)),
    Look("concept", "concept(name: $tag) { name }", SEEING),
    Look("concepts", "concepts(filter: { prefix: $tag }) { edges { node { name } } }", SEEING, ("edges",)),
    Look("search", "search(query: $word) { edges { node { id } } }", SEEING, ("edges",)),
    Look("search", "search(query: $word) { totalCount }", SEEING, ("totalCount",)),
    Look("search", "search(query: $word) { edges { delivery { uid } } }", "RC", ("edges", "0", "delivery")),
    Look("inbox", "inbox { edges { node { message { id } } } }", "RC", lists=True),
    Look("inbox", "inbox(mailbox: $recipient) { edges { node { message { id } } } }", "RGA", lists=True),
    Look("inbox", "inbox(mailbox: $role) { edges { node { message { id } } } }", "QA", lists=True),
    Look("inbox", "inbox(mailbox: $recipient) { unreadCount }", "RGA", ("unreadCount",)),
    Look("inbox", "inbox(filter: { thread: $thread }) { totalCount }", "RC", ("totalCount",)),
    Look("inbox", "inbox(filter: { tags: [$tag] }) { totalCount }", "RC", ("totalCount",)),
    Look("sent", "sent { edges { node { id } } }", "S", lists=True),
    Look("sent", "sent(filter: { tags: [$tag] }) { totalCount }", "S", ("totalCount",)),
    Look("tasks", "tasks(filter: { role: ORIGINATOR }) { edges { node { id } } }", "S", ("edges",)),
    Look("tasks", "tasks(filter: { role: CLAIMABLE }) { edges { node { id } } }", "RCQ", ("edges",)),
    Look("permissions", "permissions(mailbox: $recipient) { edges { cursor } }", "RA", ("edges",)),
    Look("permissions", "permissions(mailbox: $role) { pageInfo { hasNextPage } }", "OA"),
    Look("handovers", "handovers(filter: { pending: null }) { edges { cursor } }", "S", ("edges",)),
    Look("senderHistory", "senderHistory(handle: $sender) { total { sent } }", SEEING, ("total", "sent")),
    Look(
        "senderHistory",
        "senderHistory(handle: $sender) { messages { edges { cursor } } }",
        SEEING,
        ("messages", "edges"),
    ),
    Look(
        "retrospective", "retrospective(session: $session) { items { edges { cursor } } }", SEEING, ("items", "edges")
    ),
    Look("retrospective", "retrospective(handle: $sender) { items { edges { cursor } } }", SEEING, ("items", "edges")),
    Look("retrospective", "retrospective(concept: $tag) { items { edges { cursor } } }", SEEING, ("items", "edges")),
    Look("correspondence", "correspondence(between: [$sender, $recipient]) { totalCount }", SEEING, ("totalCount",)),
    Look(
        "correspondence",
        "correspondence(between: [$sender, $recipient], ticket: $about) { totalCount }",
        SEEING,
        ("totalCount",),
    ),
    Look("communicationMatrix", "communicationMatrix(tags: [$tag]) { rows { weight } }", SEEING, ("rows",)),
    Look("conversationGraph", "conversationGraph(filter: { thread: $thread }) { messages }", SEEING, ("messages",)),
    Look("me", "me { handle }", WITH_KEY),
    Look("role", "role(address: $role) { address }", WITH_KEY),
    Look("roles", "roles { edges { cursor } }", WITH_KEY, ("edges",)),
    Look("replyPolicy", "replyPolicy", WITH_KEY),
    Look("limits", "limits { batchIds }", WITH_KEY),
    Look("health", "health { status }", EVERYBODY),
]


@dataclass(frozen=True)
class Act:
    """A mutation with its arguments, who it obeys, and the code it answers the others with.

    ``codes`` says it for single callers, the rest get ``otherwise``. ``each`` looks at the result for one id.
    """

    name: str
    arguments: str
    obeys: str
    otherwise: str = "NOT_FOUND"
    codes: dict[str, str] = field(default_factory=dict)
    each: bool = False

    @property
    def call(self) -> str:
        """The selection on the root."""
        each = "results { refusal { code } } " if self.each else ""
        return f"{self.name}({self.arguments}) {{ {each}refusal {{ code }} }}"


#: A note to oneself, which names something; what it may name is the matter.
NOTE = 'to: ["@self"], subject: "Note", bodyText: ""'
OLD = {"Q": "STALE_OWNER"}
LOOKING_ON = dict.fromkeys("SRCQG", "FORBIDDEN")
RECIPIENTS = ("markRead", "markUnread", "archive", "unarchive")

ACTS = [
    *(Act(name, "ids: [$message]", "RC", each=True) for name in RECIPIENTS),
    Act("tag", 'ids: [$message], add: ["mine"]', "RC", each=True),
    # Before anybody answers, which makes a participant of whoever may only read.
    Act("sendMessage", f"input: {{ {NOTE}, thread: $thread }}", "SRCQ"),
    Act("sendMessage", f"input: {{ {NOTE}, inReplyTo: $message }}", PARTIES),
    Act("sendMessage", f"input: {{ {NOTE}, memories: [$memory] }}", "S"),
    Act("sendMessage", f"input: {{ {NOTE}, relatedSessions: [$session] }}", PARTIES),
    Act("sendMessages", f"inputs: [{{ {NOTE}, inReplyTo: $message }}]", PARTIES, each=True),
    Act("claimEntry", "mailbox: $role, id: $message", "Q"),
    Act("renewClaim", 'mailbox: $role, id: $message, token: "old"', "", codes=OLD),
    Act("releaseClaim", 'mailbox: $role, id: $message, token: "old"', "", codes=OLD),
    Act("finishClaim", 'mailbox: $role, id: $message, token: "old"', "", codes=OLD),
    Act("transitionTask", "id: $task, to: REJECTED", "", codes=LOOKING_ON),
    Act("returnHandovers", "session: $session, ids: [$message]", ""),
    Act("acceptHandovers", "input: { session: $session, ids: [$message] }", ""),
    Act("remember", 'input: { text: "Mine.", session: $session }', "S"),
    Act("writeHandover", 'input: { session: $session, bodyText: "Mine." }', "S", codes={"N": "IDENTITY_UNBOUND"}),
    Act("grantPermission", "agent: $stranger, permission: CAN_REPLY_TO, mailbox: $recipient", "R"),
    Act("revokePermission", "agent: $stranger, permission: CAN_REPLY_TO, mailbox: $recipient", "R"),
    Act("block", "agent: $stranger, mailbox: $role", "O"),
    Act("unblock", "agent: $stranger, mailbox: $role", "O"),
    Act("setReplyPolicy", "policy: OPEN", "O", "FORBIDDEN"),
    Act("setAgentStatus", "agent: $stranger, status: ACTIVE", "O", "FORBIDDEN"),
    Act("registerAgent", "input: { handle: $handle }", "O", "FORBIDDEN"),
    Act("createRole", "input: { address: $newRole }", "O", "FORBIDDEN"),
    Act("addRoleMember", "role: $newRole, agent: $stranger", "O", "FORBIDDEN"),
    Act("removeRoleMember", "role: $newRole, agent: $stranger", "O", "FORBIDDEN"),
    Act("defineConcept", "input: { name: $newConcept }", "O", "FORBIDDEN"),
    Act("applyRetention", "input: { olderThanDays: 36500 }", "O", "FORBIDDEN"),
    # Irreversible, so the last.
    Act("retractMessage", "id: $message", "S", codes=dict.fromkeys("RCQG", "FORBIDDEN")),
]


def found(look: Look, data: Data, message: str) -> bool:
    """Tell whether what was looked for was found in the answer's data."""
    (value,) = data.values()
    if look.lists and value is None:
        return False
    if look.lists:
        ids = [edge["node"].get("message", edge["node"])["id"] for edge in value["edges"]]
        return message in ids
    for step in look.path:
        if value in (None, []):
            return False
        value = value[int(step)] if step.isdigit() else value[step]
    return value not in (None, [], 0, "") and value != [None] * (len(value) if isinstance(value, list) else 0)


def code(act: Act, data: Data) -> str | None:
    """Return the code of the refusal for the one thing that was asked, None where it was obeyed."""
    (payload,) = data.values()
    if payload["refusal"] is None and act.each:
        (payload,) = payload["results"]
    refusal = payload["refusal"]
    return None if refusal is None else str(refusal["code"])
