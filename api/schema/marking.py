"""Marking in the API: read, unread, archived and back, by ids or up to a state."""

import json
from collections.abc import Iterable
from typing import Annotated

import strawberry

from api.context import Info
from api.schema.inputs import said, said_ids
from api.schema.mailbox import Delivery
from api.schema.refusals import Refusal
from api.states import decode_state, encode_state
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id
from graph.marking import Marked, UpTo, mark, mark_up_to
from graph.records import Delivery as DeliveryRecord
from graph.rules.marking import Mark
from graph.rules.text import shown

Ids = Annotated[list[strawberry.ID] | None, strawberry.argument(description="Messages, up to 500; or say upTo.")]
UpToState = Annotated[
    str | None,
    strawberry.argument(
        description="A state you were given: everything up to it that you were shown and that has not changed since."
    ),
]
IncludeUnseen = Annotated[bool | None, strawberry.argument(description="With upTo: also what you were never shown.")]
IfInState = Annotated[
    str | None, strawberry.argument(description="Change nothing unless the mailbox is in exactly this state.")
]


@strawberry.type(description="What became of one id: its entry, or why not.")
class MarkResult:
    """The result for one id."""

    id: strawberry.ID
    delivery: Delivery | None = None
    refusal: Refusal | None = None


@strawberry.type(
    description="By ids: one result for each, in order; a bad id does not fail the rest. "
    "Up to a state: the entries that changed, oldest first, at most 500; the counts tell of the rest."
)
class MarkPayload:
    """The result of marking."""

    results: list[MarkResult] | None = None
    state: str | None = strawberry.field(
        default=None,
        description="The mailbox's state after it, for ifInState. "
        "To follow changes keep the state you had: others' changes lie between the two.",
    )
    matched_count: int | None = strawberry.field(
        default=None,
        description="Entries it was about: those named that are there, or those up to the state not so marked yet.",
    )
    changed_count: int | None = strawberry.field(default=None, description="Entries that it changed.")
    withheld_unseen_count: int | None = strawberry.field(
        default=None, description="Entries up to the state that were left alone, since you were never shown them."
    )
    refusal: Refusal | None = None


@strawberry.type
class MarkingMutation:
    """Mutations of the caller's own mailbox entries."""

    @strawberry.mutation(description="Marks entries of yours as read; the first time stays.")
    async def mark_read(
        self,
        info: Info,
        ids: Ids = strawberry.UNSET,
        up_to: UpToState = strawberry.UNSET,
        include_unseen: IncludeUnseen = False,
        if_in_state: IfInState = strawberry.UNSET,
    ) -> MarkPayload:
        """Mark entries as read."""
        return await _marked(info, Mark.READ, said(ids), said(up_to), bool(include_unseen), said(if_in_state))

    @strawberry.mutation(description="Marks entries of yours as unread again; when they were first read stays known.")
    async def mark_unread(
        self,
        info: Info,
        ids: Ids = strawberry.UNSET,
        up_to: UpToState = strawberry.UNSET,
        include_unseen: IncludeUnseen = False,
        if_in_state: IfInState = strawberry.UNSET,
    ) -> MarkPayload:
        """Mark entries as unread."""
        return await _marked(info, Mark.UNREAD, said(ids), said(up_to), bool(include_unseen), said(if_in_state))

    @strawberry.mutation(description="Takes entries out of your inbox, unread or not; nobody else's is touched.")
    async def archive(
        self,
        info: Info,
        ids: Ids = strawberry.UNSET,
        up_to: UpToState = strawberry.UNSET,
        include_unseen: IncludeUnseen = False,
        if_in_state: IfInState = strawberry.UNSET,
    ) -> MarkPayload:
        """Archive entries."""
        return await _marked(info, Mark.ARCHIVE, said(ids), said(up_to), bool(include_unseen), said(if_in_state))

    @strawberry.mutation(description="Brings archived entries back into your inbox, as they were.")
    async def unarchive(
        self,
        info: Info,
        ids: Ids = strawberry.UNSET,
        up_to: UpToState = strawberry.UNSET,
        include_unseen: IncludeUnseen = False,
        if_in_state: IfInState = strawberry.UNSET,
    ) -> MarkPayload:
        """Bring entries back."""
        return await _marked(info, Mark.UNARCHIVE, said(ids), said(up_to), bool(include_unseen), said(if_in_state))


async def _marked(
    info: Info, how: Mark, ids: list[strawberry.ID] | None, up_to: str | None, include_unseen: bool, state: str | None
) -> MarkPayload:
    mailbox = info.context.handle
    try:
        info.context.begin_mutation()
        _check_one_way(ids, up_to, include_unseen)
        expected = None if state is None else decode_state(mailbox, state, "ifInState")
        graph = info.context.graph
        if up_to is None:
            wanted = said_ids(_listed(ids), "ids", graph.limits)
            known = [id_ for id_ in wanted if is_id(id_, Prefix.MESSAGE)]
            marked = await mark(graph.database, graph.clock, mailbox, how, known, expected)
        else:
            what = UpTo(decode_state(mailbox, up_to, "upTo"), include_unseen)
            # What the caller has just been shown counts, though it is not written yet.
            await info.context.runtime.shown.flush(mailbox)
            marked = await mark_up_to(graph.database, graph.clock, mailbox, how, what, expected)
            wanted = list(marked.entries)
    except Refused as refused:
        return MarkPayload(refusal=Refusal.of(refused))
    return _payload(mailbox, wanted, marked)


def _check_one_way(ids: list[strawberry.ID] | None, up_to: str | None, include_unseen: bool) -> None:
    if (ids is None) is (up_to is None):
        said_what = "neither ids nor upTo is given" if ids is None else "both ids and upTo are given"
        raise Refused(RefusalCode.INVALID_INPUT, f"{said_what}; name messages, or a state.", field="ids")
    if include_unseen and up_to is None:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            "includeUnseen is true beside ids, which are marked whether you were shown them or not; leave it out.",
            field="includeUnseen",
        )


def _listed(ids: Iterable[str] | None) -> list[str]:
    """Return the ids, also of a client that sends its list as one JSON text (LESSONS 5)."""
    given = list(ids or ())
    if len(given) == 1 and given[0].lstrip().startswith("["):
        try:
            inner = json.loads(given[0])
        except (ValueError, RecursionError):
            return given
        if isinstance(inner, list) and all(isinstance(each, str) for each in inner):
            return inner
    return given


def _payload(mailbox: str, wanted: Iterable[str], marked: Marked) -> MarkPayload:
    return MarkPayload(
        results=[_result(id_, marked.entries.get(id_)) for id_ in wanted],
        state=encode_state(mailbox, marked.state),
        matched_count=marked.matched,
        changed_count=marked.changed,
        withheld_unseen_count=marked.withheld,
    )


def _result(id_: str, entry: DeliveryRecord | None) -> MarkResult:
    if entry is not None:
        return MarkResult(id=strawberry.ID(id_), delivery=Delivery.of(entry))
    refused = Refused(RefusalCode.NOT_FOUND, f"{shown(id_)} is not a message in your mailbox.", field="ids")
    return MarkResult(id=strawberry.ID(id_), refusal=Refusal.of(refused))
