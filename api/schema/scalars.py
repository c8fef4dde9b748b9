"""Scalars of the contract, and the enums that the graph's own types become in it."""

from typing import NewType

import strawberry

from graph.errors import RefusalCode
from graph.exporting import GraphFormat
from graph.identities import IdentityKind, IdentityStatus
from graph.rules.drafts import Priority
from graph.rules.links import Measured
from graph.rules.periods import Bucket
from graph.rules.planning import RecipientKind, Via
from graph.rules.retrospectives import ItemKind
from graph.rules.rights import Permission, ReplyPolicy, RoleDelivery
from graph.rules.tasks import TaskState
from graph.rules.walking import Direction as EdgeDirection
from graph.rules.walking import EdgeType, NodeLabel
from graph.tasks import TaskRole

__all__ = [
    "ADDRESS",
    "Address",
    "Bucket",
    "EdgeDirection",
    "EdgeType",
    "GraphFormat",
    "IdentityKind",
    "IdentityStatus",
    "ItemKind",
    "Measured",
    "NodeLabel",
    "Permission",
    "Priority",
    "RecipientKind",
    "RefusalCode",
    "ReplyPolicy",
    "RoleDelivery",
    "TaskRole",
    "TaskState",
    "Via",
]

Address = NewType("Address", str)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"An address is text such as '@ada', not {value!r}.")
    return value


ADDRESS = strawberry.scalar(
    name="Address",
    description='A mail address: "@self", "@ada", "role:reviewer" or "@all".',
    serialize=str,
    parse_value=_text,
)

# Each call notes the GraphQL name and description on the enum itself, and returns it unchanged.
strawberry.enum(Priority, description="How soon a reader should look.")
strawberry.enum(RecipientKind, description="Whether an address stood in To or in Cc.")
strawberry.enum(Via, name="DeliveryVia", description="How a message came to a mailbox; the most direct way counts.")
strawberry.enum(IdentityKind, description="What an identity is. Broadcasts go to agents alone.")
strawberry.enum(
    IdentityStatus,
    description="ACTIVE takes part, BENCHED gets no broadcasts, RETIRED sends nothing and is not written to.",
)
strawberry.enum(Permission, description="What an identity allows another with its mailbox.")
strawberry.enum(ReplyPolicy, description="To whom identities may write directly: to all, or to contacts alone.")
strawberry.enum(RoleDelivery, description="EACH: a copy to every member. QUEUE: one shared mailbox, entries claimed.")
strawberry.enum(TaskState, description="Where a task stands, in A2A's words.")
strawberry.enum(TaskRole, description="What you are to a task; CLAIMABLE is what you could be the assignee of.")
strawberry.enum(
    Bucket, name="HistoryBucket", description="How long the parts of a series are; weeks are ISO's, in UTC."
)
strawberry.enum(Measured, name="ConversationWeight", description="What the weight of a link counts.")
strawberry.enum(
    ItemKind,
    name="RetrospectiveKind",
    description="What an item is; tickets and memories come where they are first spoken of.",
)
strawberry.enum(
    GraphFormat,
    description="How a graph is written out: JSON is networkx's node-link form, CSV has the columns of Gephi.",
)
strawberry.enum(RefusalCode, description="Why a request that was understood is not carried out.")
strawberry.enum(EdgeType, description="What an edge of the graph says of the two nodes it joins.")
strawberry.enum(EdgeDirection, name="EdgeDirection", description="Which way an edge points, from where one stands.")
strawberry.enum(NodeLabel, description="The kinds of nodes that have an id of their own.")
