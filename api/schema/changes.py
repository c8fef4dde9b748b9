"""Changes in the API: how a client keeps an exact copy of a mailbox."""

from typing import Annotated

import strawberry

from api.context import Info
from api.limits import Limits
from api.relay import check_size
from api.schema.mailbox import OWN, Delivery, open_mailbox
from api.schema.nodes import NOTICE
from api.schema.refusals import Refusal
from api.schema.scalars import Address
from api.states import decode_state, encode_state
from graph.changes import changes
from graph.errors import Refused
from graph.records import Delivery as DeliveryRecord

FIRST = 100

FirstChanges = Annotated[int | None, strawberry.argument(description="How many entries, 1 to 500.")]
Since = Annotated[
    str,
    strawberry.argument(description="A state: the newState of the last answer, or at first that of an inbox page."),
]


@strawberry.type(
    description="What happened in a mailbox after a state. Apply both lists as upserts by uid: then the copy is in "
    "newState. Archived entries are among them, and archivedAt tells."
)
class MailboxChanges:
    """A page of changes, oldest first, or why there is none."""

    has_more: bool | None = strawberry.field(default=None, description="Ask again with newState at once.")
    new_state: str | None = None
    refusal: Refusal | None = None
    mailbox: strawberry.Private[str] = ""
    new: strawberry.Private[list[Delivery] | None] = None
    other: strawberry.Private[list[Delivery] | None] = None

    @strawberry.field(description="Entries that came; one may come again while you catch up.")
    def created(self, info: Info) -> list[Delivery] | None:
        """Return the new entries; selecting them is being shown them."""
        info.context.shown(self.mailbox, self.new or ())
        return self.new

    @strawberry.field(description="Entries that you know, as they are now.")
    def changed(self, info: Info) -> list[Delivery] | None:
        """Return the changed entries; selecting them is being shown them."""
        info.context.shown(self.mailbox, self.other or ())
        return self.other

    @strawberry.field(description="What to bear in mind about text like this.")
    def notice(self) -> str:
        """Return the notice."""
        return NOTICE


@strawberry.type
class ChangesQuery:
    """Queries of what happened since."""

    @strawberry.field(description="What came and what changed after a state, gap-free whoever writes meanwhile.")
    async def mailbox_changes(
        self, info: Info, since: Since, first: FirstChanges = FIRST, mailbox: Address | None = OWN
    ) -> MailboxChanges:
        """Return a page of changes."""
        address = await open_mailbox(info, OWN if mailbox is None else mailbox)
        size = _check_first(first, info.context.limits)
        try:
            state = decode_state(address, since, "since")
            found = await changes(info.context.graph.database, address, state, size)
        except Refused as refused:
            return MailboxChanges(refusal=Refusal.of(refused))
        return MailboxChanges(
            has_more=found.has_more,
            new_state=encode_state(address, found.state),
            mailbox=address,
            new=_entries(found.created, address),
            other=_entries(found.changed, address),
        )


def _entries(records: tuple[DeliveryRecord, ...], mailbox: str) -> list[Delivery]:
    return [Delivery.of(record, mailbox) for record in records]


def _check_first(first: int | None, limits: Limits) -> int:
    return FIRST if first is None else check_size(first, limits.changes_max, "changes", "changesMax")
