"""The GraphQL schema: one module for each capability, put together here (DESIGN §5)."""

import strawberry
from strawberry.schema.config import StrawberryConfig

from api.audit import Audit
from api.guard import Schema, guards
from api.limits import Limits
from api.schema.changes import ChangesQuery
from api.schema.concepts import Concept, ConceptMutation, ConceptQuery
from api.schema.correspondence import CorrespondenceQuery
from api.schema.cypher import CypherQuery
from api.schema.graph import GraphQuery
from api.schema.handovers import HandoverMutation, HandoverQuery
from api.schema.health import HealthQuery
from api.schema.history import HistoryQuery
from api.schema.identities import AgentIdentity, IdentityMutation, IdentityQuery
from api.schema.lookup import LookupQuery
from api.schema.mailbox import MailboxQuery
from api.schema.marking import MarkingMutation
from api.schema.memories import Memory, MemoryMutation, MemoryQuery
from api.schema.messages import Message, MessageQuery
from api.schema.permissions import PermissionMutation, PermissionQuery
from api.schema.queues import QueueMutation
from api.schema.retention import RetentionMutation
from api.schema.retracting import RetractingMutation
from api.schema.retrospectives import RetrospectiveQuery
from api.schema.roles import Role, RoleMutation, RoleQuery
from api.schema.scalars import ADDRESS, Address
from api.schema.search import SearchQuery
from api.schema.sending import SendingMutation
from api.schema.sessions import Session
from api.schema.tagging import TaggingMutation
from api.schema.tasks import Task, TaskMutation, TaskQuery
from api.schema.threadlists import ThreadListQuery
from api.schema.threads import Thread, ThreadQuery
from api.schema.tickets import Ticket

__all__ = ["build_schema"]


@strawberry.type
class Query(
    HealthQuery,
    IdentityQuery,
    RoleQuery,
    PermissionQuery,
    MailboxQuery,
    ChangesQuery,
    SearchQuery,
    MessageQuery,
    ThreadQuery,
    ThreadListQuery,
    HandoverQuery,
    MemoryQuery,
    TaskQuery,
    ConceptQuery,
    HistoryQuery,
    RetrospectiveQuery,
    CorrespondenceQuery,
    LookupQuery,
    GraphQuery,
    CypherQuery,
):
    """Everything that can be asked."""


@strawberry.type
class Mutation(
    IdentityMutation,
    RoleMutation,
    PermissionMutation,
    SendingMutation,
    MarkingMutation,
    RetractingMutation,
    QueueMutation,
    TaggingMutation,
    MemoryMutation,
    HandoverMutation,
    TaskMutation,
    ConceptMutation,
    RetentionMutation,
):
    """Everything that can be done."""


def build_schema(limits: Limits) -> Schema:
    """Return the schema, guarded by these limits."""
    return Schema(
        query=Query,
        mutation=Mutation,
        types=[AgentIdentity, Role, Message, Thread, Session, Memory, Task, Ticket, Concept],
        config=StrawberryConfig(scalar_map={Address: ADDRESS}),
        extensions=[*guards(limits), Audit],
    )
