"""The neomodel classes and the live graph agree: labels, types, properties, keys, indexes (DESIGN §2)."""

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    StringProperty,
    StructuredNode,
    StructuredRel,
    db,
)
from neomodel.properties import Property
from neomodel.util import RelationshipDirection

import graph.model
from graph.autotagging import AutoTagger
from graph.bootstrap import Graph
from graph.database import Database
from graph.handovers import accept_handovers
from graph.identities import NewIdentity, register, touch
from graph.keys import Scope, issued_keys, revoke
from graph.marking import note_seen
from graph.memories import MemoryInput, remember
from graph.model import (
    AgentIdentity,
    Concept,
    Credential,
    Memory,
    Message,
    Session,
    Task,
    Thread,
    Ticket,
    connected,
)
from graph.ontology import define_concept
from graph.permissions import block, grant, set_reply_policy
from graph.queries import Query
from graph.queues import claim, finish
from graph.readers import Reader
from graph.retracting import retract
from graph.roles import NewRole, add_member, create_role
from graph.rules.marking import Mark
from graph.rules.ontology import ConceptInput
from graph.rules.planning import RecipientKind, Via
from graph.rules.rights import Permission, ReplyPolicy, RoleDelivery
from graph.rules.tasks import TaskState
from tests.support import Agents

NODES = [found for found in vars(graph.model).values() if inspect.isclass(found) and issubclass(found, StructuredNode)]

#: Read by queries already, and written by what comes later: importing mail, retention, ending a session.
WRITTEN_LATER = {
    "AgentIdentity.imported",
    "AgentIdentity.floor",
    "Role.floor",
    "Message.mailId",
    "Message.missingParent",
    "Message.expungedAt",
    "Session.endedAt",
    "Ticket.url",
}

KINDS: dict[type[Property[Any]], str] = {
    StringProperty: "String",
    IntegerProperty: "Long",
    BooleanProperty: "Boolean",
    DateTimeNeo4jFormatProperty: "DateTime",
    ArrayProperty: "StringArray",
}


@dataclass(frozen=True)
class Story:
    """Who and what the story below is about, by handle and id."""

    ada: str
    bea: str
    cy: str
    memory: str
    question: str
    answer: str
    fork: str
    everyone: str
    handover: str
    ticket: str
    told: datetime
    task: str
    role: str


@pytest_asyncio.fixture(scope="module")
async def story(graph: Graph, agents: Agents) -> Story:
    """Tell a story that uses everything the use cases can write."""
    told = graph.clock.now()
    ada, bea, cy = await agents("ada", "bea", "cy")
    named = NewIdentity(f"@dot-{ada[5:]}", display_name="Dot", family="lighthouse/lamp")
    dot = await register(graph.database, graph.clock, named, graph.limits)
    await touch(graph.database, graph.clock, dot)
    for handle in (ada, dot):
        await graph.keys.issue(graph.database, graph.clock, handle, [Scope.AGENT])
    await revoke(graph.database, graph.clock, (await issued_keys(graph.database, dot))[0].id)
    oil = MemoryInput("The lamp needs oil.", tags=("Lamp",), idempotency_key="oil")
    memory = await remember(graph.database, graph.clock, ada, oil, graph.limits)
    ticket = f"lighthouse-{ada[1:]}#7"
    question = await agents.send(
        ada,
        bea,
        subject="Who has the oil?",
        cc=(cy,),
        tags=("Lamp", "question"),
        tickets=(ticket,),
        memories=(memory,),
        origin_session="watch-1",
        expects_reply=True,
        idempotency_key="oil",
    )
    answer = await agents.reply(bea, question, body_text="I have.")
    fuel = f"fuel-{ada[1:]}"
    await define_concept(graph.database, graph.clock, ConceptInput(fuel), graph.limits)
    lamp_oil = ConceptInput(f"oil-{ada[1:]}", "What burns.", aliases=(f"petrol-{ada[1:]}",), broader=(fuel,))
    await define_concept(graph.database, graph.clock, lamp_oil, graph.limits)
    no_fuel = f"No {fuel} is left."
    fork = await agents.reply(cy, question, thread="new", subject="The other lamp", body_text=no_fuel)
    await AutoTagger(graph.database, graph.limits).tag([fork])
    everyone = await agents.send(bea, "@all", subject="Fog")
    await agents.read(bea, question)
    await note_seen(graph.database, cy, {question: told})
    await agents.mark(cy, Mark.ARCHIVE, question)
    await retract(graph.database, graph.clock, Reader.alone(bea), everyone)
    kept = await agents.remember(ada, "Bea has the oil.", session="watch-1")
    await agents.reply(ada, kept, related_sessions=("watch-1",))
    handover = await agents.hand_over(ada, "watch-1")
    await accept_handovers(graph.database, graph.clock, ada, "watch-2", None, graph.limits)
    await agents.hand_over(ada, "watch-2")
    eli, fay = await agents("eli", "fay")
    task = await agents.task(ada, eli, fay, lasts=timedelta(days=1))
    await agents.move(eli, task, TaskState.WORKING, note="I have a ladder.")
    await agents.task(ada, eli, fay, lasts=timedelta(days=1))
    keeper = NewRole(f"role:keeper-{ada[1:]}", "Keeps the lamp.", RoleDelivery.QUEUE)
    role = await create_role(graph.database, graph.clock, keeper, graph.limits)
    await add_member(graph.database, graph.clock, role, bea)
    first, second = [await agents.send(ada, role, subject="Wick", tags=("Lamp",)) for _ in range(2)]
    desk = Reader(bea, (bea, role))
    done = await claim(graph.database, graph.clock, desk, role, first, 60)
    await finish(graph.database, graph.clock, desk, role, first, done.token)
    await claim(graph.database, graph.clock, desk, role, second, 60)
    await grant(graph.database, graph.clock, ada, bea, Permission.CAN_READ_INBOX_OF)
    await grant(graph.database, graph.clock, ada, bea, Permission.CAN_REPLY_TO)
    for owner in (bea, role):
        await block(graph.database, graph.clock, owner, cy)
    for permission in Permission:
        await grant(graph.database, graph.clock, role, dot, permission)
    await set_reply_policy(graph.database, graph.clock, ReplyPolicy.OPEN)
    return Story(ada, bea, cy, memory, question, answer, fork, everyone, handover, ticket, told, task, role)


@pytest.fixture
def mapped(graph: Graph) -> Iterator[None]:
    """Point neomodel at the shared graph."""
    with connected(graph.connection):
        yield


@dataclass(frozen=True)
class Live:
    """What the graph holds: its labels, the type of each ``Label.property`` and ``TYPE.property``, and the ends."""

    labels: set[frozenset[str]]
    properties: dict[str, set[str]]
    ends: set[tuple[frozenset[str], str, frozenset[str]]]


@pytest_asyncio.fixture(scope="module")
async def live(graph: Graph, story: Story) -> Live:
    """Look at the whole graph, in which the story happened."""
    assert story.role.startswith("role:")
    return await look(graph.database)


async def look(database: Database) -> Live:
    labels: set[frozenset[str]] = set()
    properties: dict[str, set[str]] = defaultdict(set)
    for row in await database.fetch(Query("test/nodes", "CALL db.schema.nodeTypeProperties()")):
        labels.add(found := frozenset(row["nodeLabels"]))
        if row["propertyName"] is not None:
            (label,) = found - {"Mailbox"}
            properties[f"{label}.{row['propertyName']}"].update(row["propertyTypes"])
    for row in await database.fetch(Query("test/relationships", "CALL db.schema.relTypeProperties()")):
        if row["propertyName"] is not None:
            properties[f"{row['relType'][2:-1]}.{row['propertyName']}"].update(row["propertyTypes"])
    leads = "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a) AS source, type(r) AS type, labels(b) AS target"
    rows = await database.fetch(Query("test/ends", leads))
    ends = {(frozenset(row["source"]), row["type"], frozenset(row["target"])) for row in rows}
    return Live(labels, dict(properties), ends)


@dataclass(frozen=True)
class Declared:
    """A relationship as a class declares it."""

    ends: tuple[str, str, str]
    carries: type[StructuredRel] | None


def declared_relationships() -> list[Declared]:
    found = []
    for node in NODES:
        for definition in node.defined_properties(properties=False, aliases=False).values():
            definition.lookup_node_class()
            said: dict[str, Any] = definition.definition
            near, far = node.__label__, said["node_class"].__label__
            outgoing = said["direction"] is RelationshipDirection.OUTGOING
            ends = (near if outgoing else far, said["relation_type"], far if outgoing else near)
            found.append(Declared(ends, said["model"]))
    return found


def kind(declared: Property[Any]) -> str:
    return next(name for of, name in KINDS.items() if isinstance(declared, of))


def declared_properties() -> dict[str, str]:
    """Return the type of each property that a class declares, under the names of the graph."""
    owners: dict[str, type[StructuredNode | StructuredRel]] = {
        node.__label__: node for node in NODES if node is not graph.model.Mailbox
    }
    for relationship in declared_relationships():
        if relationship.carries is not None:
            owners[relationship.ends[1]] = relationship.carries
    return {
        f"{owner}.{declared.get_db_property_name(name)}": kind(declared)
        for owner, model in owners.items()
        for name, declared in model.defined_properties(aliases=False, rels=False).items()
    }


def test_every_label_has_a_class_and_every_class_nodes(live: Live) -> None:
    assert live.labels == {frozenset(node.inherited_labels()) for node in NODES} - {frozenset({"Mailbox"})}


def test_every_property_of_the_graph_is_declared_with_its_type(live: Live) -> None:
    assert {name: {kind} for name, kind in declared_properties().items() if name in live.properties} == live.properties


def test_every_declared_property_is_in_the_graph(live: Live) -> None:
    assert set(declared_properties()) - set(live.properties) - WRITTEN_LATER == set()


def test_relationships_lead_from_where_to_where_the_classes_say(live: Live) -> None:
    fitting = {
        (source, type_, target): {
            (source_labels, of_type, target_labels)
            for source_labels, of_type, target_labels in live.ends
            if type_ == of_type and source in source_labels and target in target_labels
        }
        for source, type_, target in (relationship.ends for relationship in declared_relationships())
    }
    never = {ends for ends, found in fitting.items() if not found}
    assert never == set()
    assert set().union(*fitting.values()) == live.ends


def test_a_type_whose_class_says_that_it_carries_nothing_carries_nothing(live: Live) -> None:
    bare = {relationship.ends[1] for relationship in declared_relationships() if relationship.carries is None}
    assert {name.partition(".")[0] for name in live.properties} & bare == set()


def test_the_schema_holds_what_the_classes_declare_and_what_their_docstring_says_they_cannot(mapped: None) -> None:
    declared = set()
    for node in NODES:
        # A subclass repeats nothing: the key of a mailbox's address is that of every mailbox.
        for name, found in vars(node).items():
            if isinstance(found, Property) and found.is_indexed:
                declared.add((node.__label__, found.get_db_property_name(name), found.unique_index))
    constraints = {row["name"]: row for row in db.list_constraints()}
    indexes = {row["name"]: row for row in db.list_indexes(exclude_token_lookup=True)}
    expressed, others = set(), set()
    for name, row in (indexes | constraints).items():
        if row["entityType"] == "NODE" and len(row["properties"]) == 1:
            expressed.add((row["labelsOrTypes"][0], row["properties"][0], name in constraints))
        else:
            others.add(name)
    assert declared == expressed
    assert set(re.findall("``([a-z]+_[a-z_]+)``", schema_section())) == others


def schema_section() -> str:
    """Return what the docstring lists as beyond neomodel."""
    listed = re.search(r"neomodel cannot say:\n(.*?)\n\nNor ", graph.model.__doc__ or "", re.DOTALL)
    assert listed is not None
    return listed[1]


def test_a_message_comes_back_with_all_that_hangs_on_it(mapped: None, story: Story) -> None:
    question: Any = Message.nodes.get(typeid=story.question)
    assert (question.subject, question.priority, question.kind) == ("Who has the oil?", "NORMAL", "MESSAGE")
    assert question.createdAt.tzinfo is UTC
    assert question.createdAt >= story.told
    assert question.sender.single().handle == story.ada
    assert question.sender.relationship(question.sender.single()).idempotencyKey == "oil"
    to = {node.handle: question.addressees.relationship(node).kind for node in question.addressees.all()}
    assert to == {story.bea: RecipientKind.TO, story.cy: RecipientKind.CC}
    assert {concept.name for concept in question.concepts.all()} == set(question.tags) == {"lamp", "question"}
    assert [ticket.key for ticket in question.tickets.all()] == [story.ticket]
    assert [memory.typeid for memory in question.memories.all()] == [story.memory]
    assert question.origin_session.single().externalId == "watch-1"
    assert [reply.typeid for reply in question.replies.order_by("createdAt")] == [story.answer, story.fork]
    assert [fork.subject for fork in question.forks.all()] == ["The other lamp"]
    assert question.thread.single().messageCount == 2


def test_a_mailbox_comes_back_as_entries_newest_first(mapped: None, story: Story) -> None:
    bea: Any = AgentIdentity.nodes.get(handle=story.bea)
    (message,) = bea.entries.order_by("-createdAt")[:20]
    entry = bea.entries.relationship(message)
    assert (message.typeid, entry.uid, entry.via, entry.folder) == (story.question, 1, Via.DIRECT, "INBOX")
    assert entry.unread is None
    assert entry.readAt >= entry.deliveredAt
    assert {bea.filed.relationship(message).concept} < {"lamp", "question"}
    assert (bea.uidNext, bea.unreadCount) == (2, 0)
    cy: Any = AgentIdentity.nodes.get(handle=story.cy)
    assert {m.typeid: cy.entries.relationship(m).via for m in cy.entries.all()} == {
        story.question: Via.DIRECT,
        story.everyone: Via.BROADCAST,
    }


def test_threads_sessions_memories_and_keys_come_back(mapped: None, story: Story) -> None:
    fork: Any = Message.nodes.get(typeid=story.fork)
    thread: Any = Thread.nodes.get(typeid=fork.thread.single().typeid)
    assert thread.forked_from.single().typeid == story.question
    assert fork.thread.relationship(thread).messageId == story.fork
    everyone: Any = Message.nodes.get(typeid=story.everyone)
    assert everyone.broadcasts.single().address == "@all"
    handover: Any = Message.nodes.get(typeid=story.handover)
    successor = handover.accepted_by.single()
    assert (successor.externalId, handover.kind) == ("watch-2", "HANDOVER")
    assert handover.accepted_by.relationship(successor).acceptedAt >= handover.createdAt
    watch: Any = Session.nodes.get(agent=story.ada, externalId="watch-1")
    assert watch.held_by.single().handle == story.ada
    (kept,) = watch.memories.all()
    assert kept.agent.single().handle == story.ada
    (answer,) = kept.replies.all()
    assert answer.answers_memory.single() == kept
    assert answer.answers.single() is None
    memory: Any = Memory.nodes.get(typeid=story.memory)
    assert memory.concepts.single() == Concept.nodes.get(name="lamp")
    ticket: Any = Ticket.nodes.get(key=story.ticket)
    assert ticket.messages.single().typeid == story.question
    oil: Any = Concept.nodes.get(name=f"oil-{story.ada[1:]}")
    assert [alias.name for alias in oil.aliases.all()] == [f"petrol-{story.ada[1:]}"]
    (fuel,) = oil.broader.all()
    assert (fuel.name, fuel.narrower.single()) == (f"fuel-{story.ada[1:]}", oil)
    assert fuel.messages.single() == fork
    assert fuel.messages.relationship(fork).origin == "AUTO"
    ada: Any = AgentIdentity.nodes.get(handle=story.ada)
    (key,) = ada.keys.all()
    assert Credential.nodes.get(typeid=key.typeid).scopes == ["agent"]


def test_a_task_comes_back_with_its_message_and_its_events(mapped: None, story: Story) -> None:
    task: Any = Task.nodes.get(typeid=story.task)
    assert (task.state, task.originator, task.assignee[:4], task.version) == ("WORKING", story.ada, "@eli", 1)
    assert task.expiresAt > task.createdAt
    assert (task.open, task.unclaimed) == (True, None)
    message = task.carried_by.single()
    assert message.typeid == task.message
    assert message.task.single() == task
    (event,) = task.events.all()
    assert (event.seq, event.from_, event.to, event.by) == (1, "SUBMITTED", "WORKING", task.assignee)
    assert (event.note, event.at, event.of.single()) == ("I have a ladder.", task.updatedAt, task)


def test_a_naive_time_is_refused(mapped: None, story: Story) -> None:
    concept = Concept(name=story.ada, createdAt=datetime(2026, 1, 1))  # noqa: DTZ001 - a naive time is the point
    with pytest.raises(ValueError, match="no time zone"):
        concept.save()


def test_neomodel_is_left_without_a_connection(graph: Graph) -> None:
    with connected(graph.connection):
        assert db.driver is not None
    assert db.driver is None
