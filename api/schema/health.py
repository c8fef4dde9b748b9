"""Health and limits in the API: what an agent asks first (seed 000's boot, step one)."""

from importlib.metadata import version

import strawberry

from api.context import Info
from api.limits import Limits as LimitValues
from api.schema.mailbox import Delivery
from api.schema.messages import Message
from graph import mailbox as mailboxes
from graph import sent as history
from graph.migrations import schema_version

PREVIEW = 3


@strawberry.type(description="The database behind this server.")
class EngineHealth:
    """The engine."""

    product: str
    version: str
    source: str = strawberry.field(description="Where it comes from: 'embedded' or 'uri'.")


@strawberry.type(description="How this server knows who you are.")
class IdentityHealth:
    """The caller's identity, as the server saw it."""

    source: str = strawberry.field(description="'api-key', or 'unresolved'.")
    bound: bool = strawberry.field(
        description="Whether the server knows you; a key of scope analyst alone still writes nothing."
    )
    handle: str | None


@strawberry.type(description="The newest of your mailbox.")
class MailboxPreview:
    """A preview."""

    unread_count: int
    sent: list[Message]
    mailbox: strawberry.Private[str]
    newest: strawberry.Private[list[Delivery]]

    @strawberry.field
    def inbox(self, info: Info) -> list[Delivery]:
        """Return the newest entries; selecting them is being shown them."""
        info.context.shown(self.mailbox, self.newest)
        return self.newest


@strawberry.type(description="How this server is, who you are to it, and what waits for you.")
class Health:
    """The answer to `health`."""

    status: str = strawberry.field(description="'ok' when the database answers; an error with a code when not.")
    version: str
    schema_version: str
    engine: EngineHealth
    identity: IdentityHealth
    mailbox: MailboxPreview | None = strawberry.field(description="Null when you are not bound.")


@strawberry.type(description="The published limits; a refusal names the one exceeded.")
class Limits:
    """Every limit, in the API's names."""

    max_depth: int
    max_aliases: int
    max_tokens: int
    max_cost: int
    max_request_bytes: int
    request_timeout_seconds: float
    first_default: int
    first_max: int
    changes_max: int
    path_hops_max: int
    paths_max: int
    subgraph_hops_max: int
    subgraph_nodes_max: int
    search_hops_max: int
    cypher_characters: int
    cypher_parameter_bytes: int
    cypher_rows: int
    cypher_bytes: int
    cypher_seconds: float
    recipients: int
    subject_characters: int
    body_bytes: int
    tags: int
    tag_characters: int
    tickets: int
    related_sessions: int
    memories: int
    memory_bytes: int
    task_note_characters: int
    idempotency_key_characters: int
    external_id_characters: int
    display_name_characters: int
    batch_ids: int
    search_characters: int
    search_words: int
    bulk_messages: int
    concept_names: int
    description_characters: int
    thread_members: int

    @classmethod
    def of(cls, limits: LimitValues) -> "Limits":
        """Return the API's limits."""
        own, of_messages = limits, limits.messages
        return cls(
            **{field: getattr(own if hasattr(own, field) else of_messages, field) for field in cls.__annotations__}
        )


@strawberry.type
class HealthQuery:
    """Queries about the server itself."""

    @strawberry.field(description="How this server is, and how it knows you. Needs no key.")
    async def health(self, info: Info) -> Health:
        """Return the health; asking the database is part of it."""
        graph, caller = info.context.graph, info.context.identification.caller
        server = await graph.server_info()
        preview = None
        if caller is not None:
            inbox = await mailboxes.inbox(graph.database, caller.handle, mailboxes.InboxFilter(), PREVIEW, None)
            sent = await history.sent(graph.database, caller.handle, history.SentFilter(), PREVIEW, None)
            preview = MailboxPreview(
                unread_count=inbox.unread_count,
                sent=[Message.of(card) for card in sent.items],
                mailbox=caller.handle,
                newest=[Delivery.of(entry) for entry in inbox.page.items],
            )
        return Health(
            status="ok",
            version=version("heliograph"),
            schema_version=schema_version(),
            engine=EngineHealth(product=server.product, version=server.version, source=graph.connection.source),
            identity=IdentityHealth(
                source=info.context.identification.source,
                bound=caller is not None,
                handle=None if caller is None else caller.handle,
            ),
            mailbox=preview,
        )

    @strawberry.field(description="The published limits.")
    async def limits(self, info: Info) -> Limits:
        """Return the limits."""
        info.context.identification.required()
        return Limits.of(info.context.limits)
