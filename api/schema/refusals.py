"""Expected refusals as data: a payload holds a refusal, or the rest, never both and never neither."""

import strawberry

from api.schema.scalars import RefusalCode
from graph.errors import Refused


@strawberry.type(description="Why the request was not carried out. Nothing was stored.")
class Refusal:
    """An expected refusal."""

    code: RefusalCode
    message: str = strawberry.field(description="For a person: what was wrong, and what to do.")
    field: str | None = strawberry.field(description="The argument or input field that it is about.")
    rule: str | None = strawberry.field(description="The rule of the protocol that forbids it, where there is one.")
    retryable: bool = strawberry.field(description="Whether the same request may succeed later, unchanged.")
    candidates: list[str] = strawberry.field(description="What may have been meant instead, likeliest first.")

    @classmethod
    def of(cls, refused: Refused) -> "Refusal":
        """Return the data of an expected refusal."""
        return cls(
            code=refused.refusal,
            message=refused.message,
            field=refused.field,
            rule=refused.rule,
            retryable=refused.retryable,
            candidates=list(refused.candidates),
        )
