"""Tasks that messages carry, and what happened to them."""

# ruff: noqa: N815 - the attributes have the names that the graph has

from neomodel import (
    BooleanProperty,
    IntegerProperty,
    One,
    RelationshipFrom,
    RelationshipTo,
    StringProperty,
    StructuredNode,
)

from graph.model.properties import MomentProperty, one_of
from graph.rules.tasks import TaskState


class Task(StructuredNode):
    """A task; ``message`` is the id of the one that carries it, ``version`` how often it was moved.

    ``offered`` says that it was sent to be claimed; ``unclaimed`` is there only until it is moved, ``open`` only
    until it ends. ``lock`` has no meaning but for who writes it: setting it holds the task until the transaction ends.
    """

    typeid = StringProperty(unique_index=True, db_property="id")
    message = StringProperty(unique_index=True)
    state = one_of(TaskState)
    originator = StringProperty()
    assignee = StringProperty()
    offered = BooleanProperty()
    unclaimed = BooleanProperty()
    open = BooleanProperty()
    expiresAt = MomentProperty()
    createdAt = MomentProperty()
    updatedAt = MomentProperty()
    version = IntegerProperty()
    lock = IntegerProperty()

    carried_by = RelationshipFrom("graph.model.messages.Message", "CARRIES_TASK", cardinality=One)
    events = RelationshipTo("graph.model.tasks.TaskEvent", "HAS_EVENT")


class TaskEvent(StructuredNode):
    """One transition, which never changes: the ``seq``-th of the task, by a handle or by SYSTEM."""

    task = StringProperty()
    seq = IntegerProperty()
    # A keyword of Python, so the attribute has a name of its own.
    from_ = StringProperty(db_property="from", choices={state.value: state.value for state in TaskState})
    to = one_of(TaskState)
    by = StringProperty()
    at = MomentProperty()
    note = StringProperty()

    of = RelationshipFrom("graph.model.tasks.Task", "HAS_EVENT", cardinality=One)
