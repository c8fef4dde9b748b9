"""Retracting in the API."""

import strawberry

from api.context import Info
from api.schema.messages import Message, load_message
from api.schema.refusals import Refusal
from graph.errors import Refused
from graph.retracting import retract


@strawberry.type(description="The retracted message, without its text.")
class RetractPayload:
    """The result of retracting."""

    message: Message | None = None
    refusal: Refusal | None = None


@strawberry.type
class RetractingMutation:
    """Mutations that take back."""

    @strawberry.mutation(
        description="Blanks the text of a message of yours, for everybody and for good. Its place in threads stays."
    )
    async def retract_message(self, info: Info, id: strawberry.ID) -> RetractPayload:  # noqa: A002 - the contract's name
        """Retract a message."""
        graph = info.context.graph
        try:
            info.context.begin_mutation()
            await retract(graph.database, graph.clock, info.context.reader, id)
        except Refused as refused:
            return RetractPayload(refusal=Refusal.of(refused))
        return RetractPayload(message=await load_message(info, id, shown=False))
