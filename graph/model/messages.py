"""Messages, the threads they are in, and what they are tagged with and refer to."""

# ruff: noqa: N815 - the attributes have the names that the graph has

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    IntegerProperty,
    One,
    RelationshipFrom,
    RelationshipTo,
    StringProperty,
    StructuredNode,
    ZeroOrOne,
)

from graph.model.properties import MomentProperty, one_of
from graph.model.relationships import (
    AcceptedBy,
    DeliveredTo,
    FiledUnder,
    InReplyTo,
    PartOfThread,
    SentBy,
    SentTo,
    TaggedConcept,
)
from graph.rules.drafts import Priority


class Message(StructuredNode):
    """A message, as it was sent: it never changes, but for being retracted, which blanks its text for good.

    What its readers do with it is on their ``DeliveredTo``.
    ``kind`` is MESSAGE or HANDOVER. ``senderClass`` is what the sender was when it was sent. ``mailId`` is the
    Message-ID of an imported one, ``missingParent`` that of the mail it answers where that was not imported. One with
    ``expungedAt`` is a tombstone: retention left its place in the thread and its date, and nothing else.
    ``readers`` and ``moments`` are words for the full-text index: whose mail it is, and when it was sent.
    """

    typeid = StringProperty(unique_index=True, db_property="id")
    subject = StringProperty()
    bodyText = StringProperty()
    createdAt = MomentProperty()
    priority = one_of(Priority)
    kind = StringProperty()
    expectsReply = BooleanProperty()
    senderClass = StringProperty()
    provenance = StringProperty()
    tags = ArrayProperty(StringProperty())
    readers = ArrayProperty(StringProperty())
    moments = ArrayProperty(StringProperty())
    retractedAt = MomentProperty()
    mailId = StringProperty(index=True)
    missingParent = StringProperty(index=True)
    expungedAt = MomentProperty(index=True)

    sender = RelationshipTo("graph.model.mailboxes.AgentIdentity", "SENT_BY", cardinality=One, model=SentBy)
    addressees = RelationshipTo("graph.model.mailboxes.Mailbox", "SENT_TO", model=SentTo)
    broadcasts = RelationshipTo("graph.model.mailboxes.Broadcast", "SENT_TO", model=SentTo)
    deliveries = RelationshipTo("graph.model.mailboxes.Mailbox", "DELIVERED_TO", model=DeliveredTo)
    filings = RelationshipTo("graph.model.mailboxes.Mailbox", "FILED_UNDER", model=FiledUnder)
    thread = RelationshipTo("graph.model.messages.Thread", "PART_OF_THREAD", cardinality=One, model=PartOfThread)
    answers = RelationshipTo("graph.model.messages.Message", "IN_REPLY_TO", cardinality=ZeroOrOne, model=InReplyTo)
    answers_memory = RelationshipTo(
        "graph.model.sessions.Memory", "IN_REPLY_TO", cardinality=ZeroOrOne, model=InReplyTo
    )
    replies = RelationshipFrom("graph.model.messages.Message", "IN_REPLY_TO", model=InReplyTo)
    forks = RelationshipFrom("graph.model.messages.Thread", "FORKED_FROM")
    concepts = RelationshipTo("graph.model.messages.Concept", "TAGGED_CONCEPT", model=TaggedConcept)
    tickets = RelationshipTo("graph.model.messages.Ticket", "REFERENCES_TICKET")
    memories = RelationshipTo("graph.model.sessions.Memory", "REFERENCES_MEMORY")
    origin_session = RelationshipTo("graph.model.sessions.Session", "ORIGINATES_IN", cardinality=ZeroOrOne)
    related_sessions = RelationshipTo("graph.model.sessions.Session", "RELATED_SESSION")
    accepted_by = RelationshipTo("graph.model.sessions.Session", "ACCEPTED_BY", cardinality=ZeroOrOne, model=AcceptedBy)
    task = RelationshipTo("graph.model.tasks.Task", "CARRIES_TASK", cardinality=ZeroOrOne)


class Thread(StructuredNode):
    """A conversation. ``messageCount`` counts its messages, also those that a reader may not see, without tombstones.

    ``lock`` has no meaning but for who writes it: setting it holds the thread until the transaction ends.
    """

    typeid = StringProperty(unique_index=True, db_property="id")
    subject = StringProperty()
    createdAt = MomentProperty()
    lastMessageAt = MomentProperty()
    messageCount = IntegerProperty()
    lock = IntegerProperty()

    members = RelationshipFrom("graph.model.messages.Message", "PART_OF_THREAD", model=PartOfThread)
    forked_from = RelationshipTo("graph.model.messages.Message", "FORKED_FROM", cardinality=ZeroOrOne)


class Concept(StructuredNode):
    """A tag, by its canonical name. With ``registeredAt`` it is one of the operators' ontology.

    ``lock`` has no meaning but for who writes it: setting it holds the concept until the transaction ends.
    """

    name = StringProperty(unique_index=True)
    description = StringProperty()
    createdAt = MomentProperty()
    registeredAt = MomentProperty(index=True)
    lock = IntegerProperty()

    messages = RelationshipFrom("graph.model.messages.Message", "TAGGED_CONCEPT", model=TaggedConcept)
    memories = RelationshipFrom("graph.model.sessions.Memory", "TAGGED_CONCEPT", model=TaggedConcept)
    alias_of = RelationshipTo("graph.model.messages.Concept", "ALIAS_OF", cardinality=ZeroOrOne)
    aliases = RelationshipFrom("graph.model.messages.Concept", "ALIAS_OF")
    broader = RelationshipTo("graph.model.messages.Concept", "BROADER")
    narrower = RelationshipFrom("graph.model.messages.Concept", "BROADER")


class Ticket(StructuredNode):
    """A work item of a tracker, by its key such as ``repo#123`` or ``ABC-12``."""

    key = StringProperty(unique_index=True)
    url = StringProperty()

    messages = RelationshipFrom("graph.model.messages.Message", "REFERENCES_TICKET")
