"""Tagging in the API: the caller's own tags on the entries of his mailbox."""

import strawberry

from api.context import Info
from api.schema.inputs import said_ids
from api.schema.mailbox import Delivery
from api.schema.refusals import Refusal
from api.states import encode_state
from graph import tagging
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id
from graph.records import Delivery as DeliveryRecord
from graph.rules.text import shown


@strawberry.type(description="What became of one id: its entry, or why not.")
class TagResult:
    """The result for one id."""

    id: strawberry.ID
    delivery: Delivery | None = None
    refusal: Refusal | None = None


@strawberry.type(description="One result for each id, in order; a bad id does not fail the rest.")
class TagPayload:
    """The result of tagging."""

    results: list[TagResult] | None = None
    state: str | None = strawberry.field(default=None, description="The mailbox's state after it.")
    refusal: Refusal | None = None


@strawberry.type
class TaggingMutation:
    """Mutations of the caller's tags."""

    @strawberry.mutation(
        description="Adds and removes your own tags on your entries of these messages, up to 500. The messages keep "
        "the tags they were sent with."
    )
    async def tag(
        self,
        info: Info,
        ids: list[strawberry.ID],
        add: list[str] | None = strawberry.UNSET,
        remove: list[str] | None = strawberry.UNSET,
    ) -> TagPayload:
        """Tag entries."""
        graph, reader = info.context.graph, info.context.handle
        try:
            info.context.begin_mutation()
            wanted = said_ids(ids, "ids", graph.limits)
            known = [id_ for id_ in wanted if is_id(id_, Prefix.MESSAGE)]
            tagged = await tagging.tag(
                graph.database, graph.clock, reader, known, add or (), remove or (), graph.limits
            )
        except Refused as refused:
            return TagPayload(refusal=Refusal.of(refused))
        results = [_result(id_, tagged.results.get(id_)) for id_ in wanted]
        return TagPayload(results=results, state=encode_state(reader, tagged.state))


def _result(id_: str, found: DeliveryRecord | Refused | None) -> TagResult:
    if isinstance(found, DeliveryRecord):
        return TagResult(id=strawberry.ID(id_), delivery=Delivery.of(found))
    refused = found or Refused(RefusalCode.NOT_FOUND, f"{shown(id_)} is not a message in your mailbox.", field="ids")
    return TagResult(id=strawberry.ID(id_), refusal=Refusal.of(refused))
