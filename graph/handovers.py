"""Sunset handovers: what an ended session left for the next one of the same agent (seed 000, DESIGN §6).

A handover is a message to oneself with the reserved tag and the session it comes from; nothing else is stored, so one
written by a plain send is the same. Accepting is one atomic act under the mailbox lock: of two successors one gets it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph.clock import Clock
from graph.committing import Committer
from graph.concepts import filed_names
from graph.database import Database, Row, Transaction
from graph.errors import RefusalCode, Refused
from graph.ids import Prefix
from graph.queries import query
from graph.records import HandoverCard, Page, handover_card
from graph.rules.addresses import SELF
from graph.rules.drafts import MessageInput, check_id, check_session
from graph.rules.limits import MessageLimits
from graph.rules.planning import FreshIds
from graph.rules.tags import HANDOVER_TAG
from graph.rules.text import check_text, shown
from graph.sending import Sent, send_message
from graph.sessions import hold_session, known_session

PENDING, EVERY, CARDS = query("handovers/pending"), query("handovers/every"), query("handovers/cards")
ACCEPT, ACCEPTED_BY, RETURN = query("handovers/accept"), query("handovers/accepted_by"), query("handovers/return")

#: A page of handovers that filters by tag or by acceptance reads this many at a time, and at most so many windows.
WINDOW, WINDOWS = 200, 25
#: What one agent can take over at once. A stack this high is a sign that nobody accepts at all.
STACK_MOST = 1000


@dataclass(frozen=True, slots=True)
class HandoverInput:
    """What a session leaves its successor. The text must stand alone: do not lean on links that may be gone."""

    session: str
    body_text: str
    subject: str | None = None
    tags: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The handovers a session holds after accepting, oldest first. The last is ``effective``: later ones win."""

    handovers: tuple[HandoverCard, ...]

    @property
    def effective(self) -> HandoverCard | None:
        """The newest of what was taken; None when nothing was."""
        return self.handovers[-1] if self.handovers else None


async def write_handover(
    committer: Committer, clock: Clock, agent: str, said: HandoverInput, limits: MessageLimits
) -> Sent:
    """Write a handover to oneself; the session it comes from is opened by naming it. Raises what sending raises."""
    session = check_session(said.session, "session", limits)
    check_text(said.body_text, "bodyText", octets=limits.body_bytes)
    message = MessageInput(
        to=(SELF,),
        subject=f"Sunset Protocol Handover — session {session}" if said.subject is None else said.subject,
        body_text=said.body_text,
        tags=(HANDOVER_TAG, *said.tags),
        origin_session=session,
        tickets=said.tickets,
        memories=said.memories,
        idempotency_key=said.idempotency_key,
    )
    try:
        return await send_message(committer, clock, agent, message, limits)
    except Refused as refused:
        if refused.field == "originSession":
            refused.field = "session"
            refused.message = refused.message.replace("originSession", "session")
        raise


async def handovers(
    database: Database,
    agent: str,
    first: int,
    after: int | None,
    *,
    pending: bool | None = True,
    tags: Sequence[str] = (),
) -> Page[HandoverCard, int]:
    """Return up to ``first`` handovers of an agent, oldest first, past the uid ``after``.

    ``pending`` None means accepted ones too, False those alone; all ``tags`` must be on a handover, each as itself, as
    the concept that it stands for, or as an alias of it.
    """
    names = await filed_names(database, tags, narrower=False)
    source = PENDING if pending else EVERY
    filtered = pending is False or bool(tags)
    limit = WINDOW if filtered else first + 1

    found: list[HandoverCard] = []
    position, exhausted, windows = after or 0, False, 0
    while not exhausted and len(found) <= first and windows < WINDOWS:
        rows = await database.fetch(source, {"agent": agent, "after": position, "limit": limit})
        cards = [handover_card(row) for row in rows]
        found += [
            card
            for card in cards
            if (pending is not False or not card.pending) and all(set(group) & set(card.tags) for group in names)
        ]
        position = cards[-1].uid if cards else position
        exhausted, windows = len(rows) < limit, windows + 1
    items = tuple(found[:first])
    more = len(found) > first
    return Page(items, more or not exhausted, items[-1].uid if more else position)


async def accept_handovers(
    database: Database, clock: Clock, agent: str, session: str, ids: Sequence[str] | None, limits: MessageLimits
) -> Accepted:
    """Accept handovers for a session of the agent, which is opened by naming it.

    Without ``ids`` the whole pending stack, or nothing; a session that has accepted before gets the same answer again,
    so that a retry never takes what its successor is meant to find. With ``ids`` exactly those, or none.
    Raises Refused with NOT_FOUND, or ALREADY_ACCEPTED when another session holds one of them.
    """
    named = check_session(session, "session", limits)
    chosen = None if ids is None else _checked(ids, limits)
    fresh = FreshIds.made(clock.now())

    async def work(tx: Transaction) -> Accepted:
        holder = await hold_session(tx, agent, named, fresh)
        if chosen is None:
            held = [row["id"] for row in await tx.run(ACCEPTED_BY, {"agent": agent, "session": holder})]
            wanted = held or await _stack(tx, agent)
        else:
            wanted = chosen
        cards = await _cards(tx, agent, wanted)
        _check_acceptable(wanted, cards, holder)
        if to_take := [card.message for card in cards if card.pending]:
            parameters = {"agent": agent, "session": holder, "messages": to_take, "at": fresh.at}
            await tx.run(ACCEPT, parameters)
            cards = await _cards(tx, agent, wanted)
        return Accepted(cards)

    return await database.write(work)


async def return_handovers(
    database: Database, agent: str, session: str, ids: Sequence[str] | None, limits: MessageLimits
) -> tuple[HandoverCard, ...]:
    """Give back what a session accepted, all of it or exactly ``ids``, oldest first; it is pending again.

    Raises Refused with NOT_FOUND for a handover that this session does not hold; then nothing is given back.
    """
    named = check_session(session, "session", limits)
    chosen = None if ids is None else _checked(ids, limits)

    async def work(tx: Transaction) -> tuple[HandoverCard, ...]:
        holder = await known_session(tx, agent, named)
        held = [row["id"] for row in await tx.run(ACCEPTED_BY, {"agent": agent, "session": holder})]
        wanted = held if chosen is None else chosen
        for id_ in wanted:
            if id_ not in held:
                raise Refused(
                    RefusalCode.NOT_FOUND,
                    f"ids: {shown(id_)} is not a handover that this session accepted.",
                    field="ids",
                )
        if wanted:
            await tx.run(RETURN, {"agent": agent, "session": holder, "messages": wanted})
        return await _cards(tx, agent, wanted)

    return await database.write(work)


async def handover_card_of(database: Database, agent: str, message: str) -> HandoverCard:
    """Return the handover that a message of the agent's carries."""
    (row,) = await database.fetch(CARDS, {"agent": agent, "ids": [message]})
    return handover_card(row)


def _checked(ids: Iterable[str], limits: MessageLimits) -> list[str]:
    chosen = list(dict.fromkeys(check_id(id_, Prefix.MESSAGE, "ids") for id_ in ids))
    if not chosen:
        raise Refused(RefusalCode.INVALID_INPUT, "ids is empty; name handovers, or leave ids out for all.", field="ids")
    if len(chosen) > limits.batch_ids:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED, f"ids names {len(chosen)}; at most {limits.batch_ids} are allowed.", field="ids"
        )
    return chosen


async def _stack(tx: Transaction, agent: str) -> list[str]:
    rows = await tx.run(PENDING, {"agent": agent, "after": 0, "limit": STACK_MOST})
    return [row["id"] for row in rows]


async def _cards(tx: Transaction, agent: str, ids: Sequence[str]) -> tuple[HandoverCard, ...]:
    rows: list[Row] = await tx.run(CARDS, {"agent": agent, "ids": list(ids)}) if ids else []
    return tuple(handover_card(row) for row in rows)


def _check_acceptable(wanted: Sequence[str], cards: Sequence[HandoverCard], holder: str) -> None:
    found = {card.message: card for card in cards}
    for id_ in wanted:
        card = found.get(id_)
        if card is None:
            raise Refused(RefusalCode.NOT_FOUND, f"ids: {shown(id_)} is not a handover of yours.", field="ids")
        if card.accepted_by not in (None, holder):
            raise Refused(
                RefusalCode.ALREADY_ACCEPTED,
                f"ids: {shown(id_)} was accepted by session {card.accepted_by}; it can give it back.",
                field="ids",
            )
