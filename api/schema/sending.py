"""Sending in the API. The sender is who the key says; no argument can set it."""

import asyncio
from datetime import datetime

import strawberry

from api.context import Info
from api.schema.inputs import said, said_time
from api.schema.messages import Message, load_message
from api.schema.refusals import Refusal
from api.schema.scalars import Address, Priority
from graph.errors import Refused
from graph.rules.drafts import MessageInput
from graph.rules.tasks import TaskRequest
from graph.sending import Sent, send_message, send_messages


@strawberry.input(description="A task that the message carries, SUBMITTED when it is sent.")
class TaskInput:
    """What a caller says of a task."""

    expires_at: datetime | None = strawberry.field(
        default=strawberry.UNSET, description="When the clock ends it as EXPIRED, if nobody has ended it by then."
    )

    def meant(self) -> TaskRequest:
        """Return the input in the graph's words. Raises Refused for a time that cannot be meant."""
        return TaskRequest(said_time(self.expires_at, "task.expiresAt"))


@strawberry.input(description="A message to send.")
class SendMessageInput:
    """What a caller says of a message."""

    to: list[Address] | None = strawberry.field(
        default=strawberry.UNSET, description="Who it is for. A reply may leave it out: then the one who is answered."
    )
    cc: list[Address] | None = strawberry.UNSET
    subject: str = strawberry.field(description="One line, not empty: lists show it, bodies only on demand.")
    body_text: str
    in_reply_to: strawberry.ID | None = strawberry.field(
        default=strawberry.UNSET, description="The message or memory it answers; it joins that message's thread."
    )
    thread: strawberry.ID | None = strawberry.field(
        default=strawberry.UNSET,
        description='A thread you take part in, for a new root there; or "new", to fork a new thread off inReplyTo.',
    )
    tags: list[str] | None = strawberry.UNSET
    priority: Priority | None = Priority.NORMAL
    expects_reply: bool | None = False
    origin_session: strawberry.ID | None = strawberry.field(
        default=strawberry.UNSET, description="Your session it comes from, by our id or your harness's, which opens it."
    )
    related_sessions: list[strawberry.ID] | None = strawberry.UNSET
    tickets: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="Keys such as 'repo#123' or 'ABC-12'."
    )
    memories: list[strawberry.ID] | None = strawberry.field(
        default=strawberry.UNSET, description="Memories of yours; whoever may read the message may read them."
    )
    task: TaskInput | None = strawberry.field(
        default=strawberry.UNSET,
        description="For one identity, it is that one's from the start; for several, of whoever claims it first.",
    )
    idempotency_key: str | None = strawberry.field(
        default=strawberry.UNSET, description="The same key and content again returns the same message."
    )

    def meant(self) -> MessageInput:
        """Return the input in the graph's words; what was left out and what is null are the same."""
        return MessageInput(
            to=None if self.to is None or self.to is strawberry.UNSET else tuple(self.to),
            cc=tuple(self.cc or ()),
            subject=self.subject,
            body_text=self.body_text,
            in_reply_to=said(self.in_reply_to),
            thread=said(self.thread),
            tags=tuple(self.tags or ()),
            priority=self.priority or Priority.NORMAL,
            expects_reply=bool(self.expects_reply),
            origin_session=said(self.origin_session),
            related_sessions=tuple(self.related_sessions or ()),
            tickets=tuple(self.tickets or ()),
            memories=tuple(self.memories or ()),
            task=self.task.meant() if self.task else None,
            idempotency_key=said(self.idempotency_key),
        )


@strawberry.type(description="The message that was sent.")
class SendMessagePayload:
    """The result of sending."""

    message: Message | None = None
    duplicate: bool | None = strawberry.field(
        default=None, description="True when an earlier send with this idempotency key made it; null when refused."
    )
    skipped: int | None = strawberry.field(
        default=None,
        description="How many of a broadcast's or a role's audience did not get it because they block you; "
        "null when refused, and for a duplicate.",
    )
    refusal: Refusal | None = None


@strawberry.type(description="What became of each message, in order; or why nothing was sent.")
class SendMessagesPayload:
    """The result of sending several."""

    results: list[SendMessagePayload] | None = None
    refusal: Refusal | None = None


@strawberry.type
class SendingMutation:
    """Mutations that send."""

    @strawberry.mutation(description="Sends a message. When this answers, it is in every recipient's mailbox.")
    async def send_message(self, info: Info, input: SendMessageInput) -> SendMessagePayload:  # noqa: A002 - the contract's name
        """Send a message."""
        graph, reader = info.context.graph, info.context.handle
        try:
            info.context.begin_mutation()
            sent = await send_message(graph.committer, graph.clock, reader, input.meant(), graph.limits)
        except Refused as refused:
            return SendMessagePayload(refusal=Refusal.of(refused))
        return await _payload(info, sent)

    @strawberry.mutation(
        description="Sends up to `bulkMessages` messages in one transaction, each as `sendMessage` would, in their "
        "order. A refused one leaves nothing behind and does not touch the others."
    )
    async def send_messages(self, info: Info, inputs: list[SendMessageInput]) -> SendMessagesPayload:
        """Send several messages."""
        graph, reader = info.context.graph, info.context.handle
        try:
            info.context.begin_mutation()
            said = [_meant(one) for one in inputs]
            outcomes = await send_messages(graph.committer, graph.clock, reader, said, graph.limits)
        except Refused as refused:
            return SendMessagesPayload(refusal=Refusal.of(refused))
        # Together, so that the messages of retries are read in one query.
        return SendMessagesPayload(results=list(await asyncio.gather(*(_payload(info, one) for one in outcomes))))


def _meant(said: SendMessageInput) -> MessageInput | Refused:
    try:
        return said.meant()
    except Refused as refused:
        return refused


async def _payload(info: Info, outcome: Sent | Refused) -> SendMessagePayload:
    if isinstance(outcome, Refused):
        return SendMessagePayload(refusal=Refusal.of(outcome))
    if outcome.card is None:
        message = await load_message(info, outcome.message, shown=False)
    else:
        info.context.runtime.note_sent([outcome.message])
        # Acknowledged from what was written: the answer holds even if the database goes away right now.
        loaders = info.context.loaders
        loaders.body.prime(outcome.message, outcome.body_text)
        loaders.recipients.prime(outcome.message, list(outcome.recipients or ()))
        message = Message.of(outcome.card)
    return SendMessagePayload(
        message=message, duplicate=outcome.duplicate, skipped=None if outcome.duplicate else outcome.skipped
    )
