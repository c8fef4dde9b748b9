"""Retention in the API: an operator's policy, applied some batches at a time."""

from datetime import datetime

import strawberry

from api.context import Info
from api.schema.inputs import said
from api.schema.refusals import Refusal
from graph.errors import Refused
from graph.retention import apply_retention
from graph.rules.retention import check_policy
from graph.rules.retention_ledger import RetentionReport as Report

#: How many batches of up to 500 messages one call deletes or counts at most, so that it ends within a request.
BATCHES = 20


@strawberry.input
class RetentionInput:
    """What an operator says of mail that is to go; at least one of the two reasons."""

    older_than_days: int | None = strawberry.field(
        default=strawberry.UNSET, description="Messages older than so many days go, by their own date."
    )
    keep_per_mailbox: int | None = strawberry.field(
        default=strawberry.UNSET,
        description="Of each mailbox's entries all but so many newest go; a message goes with its last entry.",
    )
    except_tags: list[str] | None = strawberry.field(
        default=strawberry.UNSET,
        description="Messages with any of these tags, or with another name of what they mean, stay.",
    )
    dry_run: bool | None = strawberry.field(default=True, description="Count what would go, and change nothing.")


@strawberry.type(description="What was deleted or, in a dry run, would be.")
class RetentionReport:
    """The figures of one call."""

    dry_run: bool
    messages: int = strawberry.field(description="Messages that are gone for everybody.")
    entries: int = strawberry.field(description="Mailbox entries that are gone.")
    mailboxes: int = strawberry.field(description="Mailboxes that lost entries; their older states are too old now.")
    tombstones: int = strawberry.field(description="How many of the messages keep a place in their thread.")
    collected: int = strawberry.field(description="Tombstones of earlier calls that nothing hung on any more.")
    oldest: datetime | None = strawberry.field(description="Date of the oldest message that went from a mailbox.")
    newest: datetime | None = strawberry.field(description="Date of the newest one.")
    has_more: bool = strawberry.field(description="Whether there is more than one call does; call again.")

    @classmethod
    def of(cls, report: Report) -> "RetentionReport":
        """Return the data of a report."""
        return cls(
            dry_run=report.dry_run,
            messages=report.messages,
            entries=report.entries,
            mailboxes=report.mailboxes,
            tombstones=report.tombstones,
            collected=report.collected,
            oldest=report.oldest,
            newest=report.newest,
            has_more=report.has_more,
        )


@strawberry.type(description="What a policy did.")
class RetentionPayload:
    """The result of applying a policy."""

    report: RetentionReport | None = None
    refusal: Refusal | None = None


@strawberry.type
class RetentionMutation:
    """Mutations that delete."""

    @strawberry.mutation(
        description="Deletes mail by a policy, for good, some thousand messages a call; by default it only counts. "
        "For operators."
    )
    async def apply_retention(self, info: Info, input: RetentionInput) -> RetentionPayload:  # noqa: A002 - the contract's name
        """Apply a policy."""
        graph = info.context.graph
        info.context.identification.required()
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            policy = check_policy(
                said(input.older_than_days), said(input.keep_per_mailbox), said(input.except_tags) or (), graph.limits
            )
            # Nothing was said, or null: then nothing is deleted.
            dry_run = input.dry_run is not False
            report = await apply_retention(graph.database, graph.clock, policy, dry_run=dry_run, batches=BATCHES)
        except Refused as refused:
            return RetentionPayload(refusal=Refusal.of(refused))
        return RetentionPayload(report=RetentionReport.of(report))
