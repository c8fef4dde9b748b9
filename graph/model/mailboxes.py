"""Who mail comes from and goes to: identities, roles, the broadcast; and the keys that identities log in with."""

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
)

from graph.identities import IdentityKind, IdentityStatus
from graph.model.properties import MomentProperty, one_of
from graph.model.relationships import DeliveredTo, FiledUnder, RememberedBy, SentBy, SentTo, Since
from graph.rules.rights import ReplyPolicy, RoleDelivery


class Mailbox(StructuredNode):
    """Whatever has entries of its own, by its address. ``entries`` leads to the messages, each with its entry.

    The next entry gets ``uidNext``, the last change has ``modseq``; ``unreadCount`` is that of the inbox.
    ``floor``, where it is there, is the ``modseq`` of the last deletion: changes before it cannot be told any more.
    ``lock`` has no meaning but for who writes it: setting it holds the mailbox until the transaction ends.
    """

    address = StringProperty(unique_index=True)
    uidNext = IntegerProperty()
    modseq = IntegerProperty()
    unreadCount = IntegerProperty()
    floor = IntegerProperty()
    lock = IntegerProperty()

    entries = RelationshipFrom("graph.model.messages.Message", "DELIVERED_TO", model=DeliveredTo)
    filed = RelationshipFrom("graph.model.messages.Message", "FILED_UNDER", model=FiledUnder)
    addressed = RelationshipFrom("graph.model.messages.Message", "SENT_TO", model=SentTo)
    readers = RelationshipFrom("graph.model.mailboxes.AgentIdentity", "CAN_READ_INBOX_OF", model=Since)
    correspondents = RelationshipFrom("graph.model.mailboxes.AgentIdentity", "CAN_REPLY_TO", model=Since)
    blocked = RelationshipFrom("graph.model.mailboxes.AgentIdentity", "BLOCKED_BY", model=Since)


class AgentIdentity(Mailbox):
    """An agent, a person or a system, and its mailbox; ``handle`` and ``address`` are the same text.

    ``imported`` is true for who came with imported mail and has no other part here.
    """

    handle = StringProperty(unique_index=True)
    displayName = StringProperty()
    kind = one_of(IdentityKind)
    family = StringProperty(index=True)
    status = one_of(IdentityStatus)
    imported = BooleanProperty()
    createdAt = MomentProperty()
    lastSeenAt = MomentProperty()

    roles = RelationshipTo("graph.model.mailboxes.Role", "HAS_ROLE", model=Since)
    written = RelationshipFrom("graph.model.messages.Message", "SENT_BY", model=SentBy)
    sessions = RelationshipFrom("graph.model.sessions.Session", "HELD_BY")
    memories = RelationshipFrom("graph.model.sessions.Memory", "REMEMBERED_BY", model=RememberedBy)
    keys = RelationshipFrom("graph.model.mailboxes.Credential", "ISSUED_TO")


class Role(Mailbox):
    """A role such as ``role:reviewer``. One that delivers to EACH has no entries of its own."""

    address = StringProperty(unique_index=True)
    description = StringProperty()
    delivery = one_of(RoleDelivery)
    createdAt = MomentProperty()

    members = RelationshipFrom("graph.model.mailboxes.AgentIdentity", "HAS_ROLE", model=Since)


class Broadcast(StructuredNode):
    """The sentinel ``@all``: what a message to everyone is addressed to. Deliveries go to each mailbox as ever."""

    address = StringProperty(unique_index=True)

    addressed = RelationshipFrom("graph.model.messages.Message", "SENT_TO", model=SentTo)


class MailPolicy(StructuredNode):
    """What holds for all mail of the deployment; there is one, named ``mail``."""

    name = StringProperty(unique_index=True)
    replyPolicy = one_of(ReplyPolicy)
    changedAt = MomentProperty()


class Credential(StructuredNode):
    """A key that was issued; of the key itself only ``digest``, its HMAC, is kept."""

    typeid = StringProperty(unique_index=True, db_property="id")
    digest = StringProperty(unique_index=True)
    scopes = ArrayProperty(StringProperty())
    createdAt = MomentProperty()
    revokedAt = MomentProperty()

    issued_to = RelationshipTo("graph.model.mailboxes.AgentIdentity", "ISSUED_TO", cardinality=One)
