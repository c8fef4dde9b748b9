"""What relationships carry. A type that is not here carries nothing."""

# ruff: noqa: N815 - the attributes have the names that the graph has

from neomodel import ArrayProperty, BooleanProperty, IntegerProperty, StringProperty, StructuredRel

from graph.model.properties import MomentProperty, one_of
from graph.rules.planning import RecipientKind, Via


class DeliveredTo(StructuredRel):
    """DELIVERED_TO, Message → Mailbox: one mailbox entry and all of its owner's state.

    ``uid`` orders the mailbox without gaps, ``modseq`` its changes. ``folder`` is INBOX or ARCHIVE. ``unread`` and
    ``pending`` (a handover that no session accepted, an entry of a queue that nobody finished) are there only while
    true; ``tags`` are the owner's own. The ``claim…`` properties are those of an entry of a queue while, or since,
    somebody claimed it.
    """

    mailbox = StringProperty()
    uid = IntegerProperty()
    modseq = IntegerProperty()
    sender = StringProperty()
    thread = StringProperty()
    messageId = StringProperty()
    folder = StringProperty()
    unread = BooleanProperty()
    pending = BooleanProperty()
    via = one_of(Via)
    tags = ArrayProperty(StringProperty())
    deliveredAt = MomentProperty()
    seenAt = MomentProperty()
    readAt = MomentProperty()
    archivedAt = MomentProperty()
    claimedBy = StringProperty()
    claimedUntil = MomentProperty()
    claimToken = StringProperty()
    finishedAt = MomentProperty()


class Since(StructuredRel):
    """A membership or a right, AgentIdentity → Mailbox: since when."""

    since = MomentProperty()


class FiledUnder(StructuredRel):
    """FILED_UNDER, Message → Mailbox: the index of one tag of one mailbox entry, which has the same ``uid``."""

    mailbox = StringProperty()
    folder = StringProperty()
    concept = StringProperty()
    uid = IntegerProperty()
    unread = BooleanProperty()


class SentBy(StructuredRel):
    """SENT_BY, Message → AgentIdentity: the author, stamped from the credential, with what the history is sorted by.

    ``idempotencyKey`` and ``contentHash`` are there where the sender gave a key.
    """

    sender = StringProperty()
    createdAt = MomentProperty()
    messageId = StringProperty()
    idempotencyKey = StringProperty()
    contentHash = StringProperty()


class SentTo(StructuredRel):
    """SENT_TO, Message → AgentIdentity, Role or Broadcast: an address as it was written, in To or in Cc.

    The other properties are what the sender's history to that address is sorted by.
    """

    kind = one_of(RecipientKind)
    sender = StringProperty()
    address = StringProperty()
    createdAt = MomentProperty()
    messageId = StringProperty()


class TaggedConcept(StructuredRel):
    """TAGGED_CONCEPT, Message or Memory → Concept: a tag that it was sent or kept with.

    A sender's has what his history is sorted by, a memory's its ``agent``. ``source`` (here ``origin``, since neomodel
    keeps that name for itself) is AUTO on what automatic tagging found in the text, which is nobody's tag.
    """

    sender = StringProperty()
    agent = StringProperty()
    concept = StringProperty()
    createdAt = MomentProperty()
    messageId = StringProperty()
    origin = StringProperty(db_property="source")


class PartOfThread(StructuredRel):
    """PART_OF_THREAD, Message → Thread: exactly one for each message; the two ids are what members are sorted by."""

    thread = StringProperty()
    messageId = StringProperty()


class InReplyTo(StructuredRel):
    """IN_REPLY_TO, Message → Message or Memory: the one thing it answers; the ids are what replies are sorted by."""

    parent = StringProperty()
    messageId = StringProperty()


class AcceptedBy(StructuredRel):
    """ACCEPTED_BY, Message → Session: the one session that took a handover over, and when."""

    acceptedAt = MomentProperty()


class RememberedBy(StructuredRel):
    """REMEMBERED_BY, Memory → AgentIdentity: whose memory it is; the key and hash are there where one was given."""

    agent = StringProperty()
    idempotencyKey = StringProperty()
    contentHash = StringProperty()
