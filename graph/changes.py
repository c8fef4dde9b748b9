"""What was created and changed in a mailbox after a state, exactly, whoever writes meanwhile (DESIGN §3.3)."""

from dataclasses import dataclass

from graph.database import Database, Transaction
from graph.marking import lock
from graph.queries import query
from graph.records import Delivery, delivery
from graph.rules.states import Position, State, check_followable

AFTER, STATE = query("changes/after"), query("mailbox/state")


@dataclass(frozen=True, slots=True)
class Changes:
    """The entries that changed, oldest change first; ``created`` are those that may be new to who asked.

    Applied one by one as upserts by uid, in any order of the two lists, they lead to ``state``.
    """

    created: tuple[Delivery, ...]
    changed: tuple[Delivery, ...]
    has_more: bool
    state: State


async def settled_state(database: Database, mailbox: str) -> State:
    """Return how far a mailbox is, with everything up to there in the indexes: a list read after it misses nothing.

    An unlocked read may see a commit whose index entries are still on their way (DESIGN §3.3), so this waits its turn.
    """

    async def work(tx: Transaction) -> State:
        return (await lock(tx, mailbox)).state

    return await database.write(work)


async def changes(database: Database, mailbox: str, since: State, first: int) -> Changes:
    """Return up to ``first`` entries that changed after ``since``, each as it is now; each entry at most once.

    Raises Refused with STATE_AHEAD or STATE_TOO_OLD.
    """
    (row,) = await database.fetch(STATE, {"mailbox": mailbox})
    seen = Position(row["state"], row["uidNext"], row["floor"])
    if since.modseq == seen.modseq:
        check_followable(since, seen, "since")
        return Changes((), (), has_more=False, state=since)

    async def work(tx: Transaction) -> Changes:
        # Without the lock a scan may see half of a commit, and the other half would never be told.
        position = await lock(tx, mailbox)
        check_followable(since, position, "since")
        rows = await tx.run(AFTER, {"mailbox": mailbox, "after": since.modseq, "limit": first + 1})
        more, page = len(rows) > first, rows[:first]
        entries = [delivery(row) for row in page]
        # Until a client has caught up, it cannot tell what it lacks by uid, so the old boundary stays.
        state = State(page[-1]["modseq"], since.uid_next) if more else position.state
        return Changes(
            tuple(entry for entry in entries if entry.uid >= since.uid_next),
            tuple(entry for entry in entries if entry.uid < since.uid_next),
            more,
            state,
        )

    return await database.write(work)
