"""Sessions, the runs of an agent's harness, and the memories that agents keep."""

# ruff: noqa: N815 - the attributes have the names that the graph has

from neomodel import ArrayProperty, One, RelationshipFrom, RelationshipTo, StringProperty, StructuredNode, ZeroOrOne

from graph.model.properties import MomentProperty
from graph.model.relationships import AcceptedBy, InReplyTo, RememberedBy, TaggedConcept


class Session(StructuredNode):
    """One run of an agent's harness; ``externalId`` is the harness's own id for it, unique for the agent."""

    typeid = StringProperty(unique_index=True, db_property="id")
    agent = StringProperty()
    externalId = StringProperty()
    startedAt = MomentProperty()
    endedAt = MomentProperty()

    held_by = RelationshipTo("graph.model.mailboxes.AgentIdentity", "HELD_BY", cardinality=One)
    messages = RelationshipFrom("graph.model.messages.Message", "ORIGINATES_IN")
    mentions = RelationshipFrom("graph.model.messages.Message", "RELATED_SESSION")
    accepted = RelationshipFrom("graph.model.messages.Message", "ACCEPTED_BY", model=AcceptedBy)
    memories = RelationshipFrom("graph.model.sessions.Memory", "RECORDED_IN")


class Memory(StructuredNode):
    """What an agent keeps. It can be answered and referred to like a message, and is in no mailbox.

    ``owner`` is the agent's handle, as a word for the full-text index.
    """

    typeid = StringProperty(unique_index=True, db_property="id")
    owner = StringProperty()
    text = StringProperty()
    kind = StringProperty()
    createdAt = MomentProperty()
    tags = ArrayProperty(StringProperty())

    agent = RelationshipTo("graph.model.mailboxes.AgentIdentity", "REMEMBERED_BY", cardinality=One, model=RememberedBy)
    session = RelationshipTo("graph.model.sessions.Session", "RECORDED_IN", cardinality=ZeroOrOne)
    concepts = RelationshipTo("graph.model.messages.Concept", "TAGGED_CONCEPT", model=TaggedConcept)
    replies = RelationshipFrom("graph.model.messages.Message", "IN_REPLY_TO", model=InReplyTo)
    mentions = RelationshipFrom("graph.model.messages.Message", "REFERENCES_MEMORY")
