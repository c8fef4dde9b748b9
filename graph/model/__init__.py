"""The graph as neomodel classes, for people who work with it in Python: notebooks, retrospectives, administration.

::

    from graph.model import AgentIdentity, connected

    with connected():
        ada = AgentIdentity.nodes.get(handle="@ada")
        for message in ada.entries.order_by("-createdAt")[:20]:
            entry = ada.entries.relationship(message)
            print(entry.uid, entry.sender, message.subject)

Each class describes nodes of one label, each class of ``graph.model.relationships`` the relationships of one type.
Attributes have the names that the properties have in the graph, since neomodel sorts by attribute names; only ``id`` is
called ``typeid``, because neomodel keeps that name for itself; sort by ``createdAt`` instead, which is the time in it.
For the same reason ``source`` of TAGGED_CONCEPT is called ``origin``.
Times are aware and in UTC.
Read with these classes; write with the use cases of ``graph``. A mailbox entry, its counters and its tag index change
together under a lock (DESIGN §3.3), and a mapper that saves one node knows nothing of that. The program's own queries
are those of ``cypher/``.

The schema comes from ``cypher/schema/`` alone; ``install_all_labels`` would add to it. What it holds beyond the keys
and indexes of single properties, neomodel cannot say:

- a full-text index: ``message_text``, ``memory_text``, ``session_text``, ``identity_text``, ``concept_text``
- a key of two properties of a node: ``session_external``, ``task_event_order``
- an index of several properties of a node: ``agent_identity_audience``, ``task_assignee``, ``task_originator``,
  ``task_unclaimed``, ``task_open``
- a key of a relationship: ``delivered_to_entry``, ``delivered_to_message``, ``sent_by_idempotency``,
  ``remembered_by_idempotency``
- an index of several properties of a relationship: ``delivered_to_folder``, ``delivered_to_unread``,
  ``delivered_to_sender``, ``delivered_to_thread``, ``delivered_to_modseq``, ``delivered_to_pending``,
  ``filed_under_folder``, ``filed_under_unread``, ``sent_by_history``, ``part_of_thread_order``,
  ``sent_to_history``, ``tagged_concept_sent``, ``tagged_concept_memory``, ``in_reply_to_order``, ``sent_by_order``

Nor can it say that a relationship leads to one of several labels; there the class has an attribute for each of them,
such as ``Message.answers`` and ``Message.answers_memory``, and each finds its own label only.
"""

from graph.model.connecting import connected
from graph.model.mailboxes import AgentIdentity, Broadcast, Credential, Mailbox, MailPolicy, Role
from graph.model.messages import Concept, Message, Thread, Ticket
from graph.model.sessions import Memory, Session
from graph.model.tasks import Task, TaskEvent
from graph.model.upkeep import Ontology, SchemaLock, SchemaMigration

__all__ = [
    "AgentIdentity",
    "Broadcast",
    "Concept",
    "Credential",
    "MailPolicy",
    "Mailbox",
    "Memory",
    "Message",
    "Ontology",
    "Role",
    "SchemaLock",
    "SchemaMigration",
    "Session",
    "Task",
    "TaskEvent",
    "Thread",
    "Ticket",
    "connected",
]
