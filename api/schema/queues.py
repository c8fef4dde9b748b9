"""Queues in the API: members of a QUEUE role claim entries of its mailbox, and renew, release or finish them."""

from datetime import datetime

import strawberry

from api.context import Info
from api.schema.inputs import said
from api.schema.messages import Message, load_message
from api.schema.refusals import Refusal
from api.schema.scalars import Address
from graph import queues
from graph.errors import Refused


@strawberry.type(description="An entry that is yours for a time.")
class Claim:
    """A claim. The token is shown to the claimer alone."""

    token: str = strawberry.field(description="Shows that the claim is the present one; a later claim makes it old.")
    until: datetime = strawberry.field(description="When the entry is free again, unless the claim is renewed.")
    mailbox: Address
    message: Message


@strawberry.type(description="The claim, or why there is none.")
class ClaimPayload:
    """The result of claiming or renewing."""

    claim: Claim | None = None
    refusal: Refusal | None = None


@strawberry.type(description="The message whose entry was given back or finished.")
class ClaimEndPayload:
    """The result of releasing or finishing."""

    message: Message | None = None
    refusal: Refusal | None = None


@strawberry.type
class QueueMutation:
    """Mutations of queues."""

    @strawberry.mutation(
        description="Claims an entry of a queue you are a member of: that message's, or the oldest free one."
    )
    async def claim_entry(
        self,
        info: Info,
        mailbox: Address,
        id: strawberry.ID | None = strawberry.UNSET,  # noqa: A002 - the usual name
        lease_seconds: int | None = 600,
    ) -> ClaimPayload:
        """Claim an entry."""
        graph, reader = info.context.graph, info.context.reader
        lease = 600 if lease_seconds is None else lease_seconds
        try:
            info.context.begin_mutation()
            claim = await queues.claim(graph.database, graph.clock, reader, mailbox, said(id), lease)
        except Refused as refused:
            return ClaimPayload(refusal=Refusal.of(refused))
        return await _claimed(info, claim)

    @strawberry.mutation(description="Prolongs your claim from now on.")
    async def renew_claim(
        self,
        info: Info,
        mailbox: Address,
        id: strawberry.ID,  # noqa: A002 - the usual name
        token: str,
        lease_seconds: int | None = 600,
    ) -> ClaimPayload:
        """Renew a claim."""
        graph, reader = info.context.graph, info.context.reader
        lease = 600 if lease_seconds is None else lease_seconds
        try:
            info.context.begin_mutation()
            claim = await queues.renew(graph.database, graph.clock, reader, mailbox, id, token, lease)
        except Refused as refused:
            return ClaimPayload(refusal=Refusal.of(refused))
        return await _claimed(info, claim)

    @strawberry.mutation(description="Gives a claimed entry back: it is free again, and unread as before.")
    async def release_claim(self, info: Info, mailbox: Address, id: strawberry.ID, token: str) -> ClaimEndPayload:  # noqa: A002 - the usual name
        """Release a claim."""
        try:
            info.context.begin_mutation()
            await queues.release(info.context.graph.database, info.context.reader, mailbox, id, token)
        except Refused as refused:
            return ClaimEndPayload(refusal=Refusal.of(refused))
        return ClaimEndPayload(message=await load_message(info, id))

    @strawberry.mutation(description="Finishes a claimed entry: it is read, and nobody claims it again.")
    async def finish_claim(self, info: Info, mailbox: Address, id: strawberry.ID, token: str) -> ClaimEndPayload:  # noqa: A002 - the usual name
        """Finish a claim."""
        graph = info.context.graph
        try:
            info.context.begin_mutation()
            await queues.finish(graph.database, graph.clock, info.context.reader, mailbox, id, token)
        except Refused as refused:
            return ClaimEndPayload(refusal=Refusal.of(refused))
        return ClaimEndPayload(message=await load_message(info, id))


async def _claimed(info: Info, claim: queues.Claim) -> ClaimPayload:
    message = await load_message(info, claim.message)
    if message is None:
        raise LookupError(f"The claimed message {claim.message} is not there.")
    return ClaimPayload(
        claim=Claim(token=claim.token, until=claim.until, mailbox=Address(claim.mailbox), message=message)
    )
