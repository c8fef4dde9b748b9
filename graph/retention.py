"""Retention: an operator's policy deletes what is too old or too much, in bounded batches (DESIGN §3.5).

Each batch is one transaction under the locks of every writer, so that counters are exact after each and a run that was
killed is simply run again. First each mailbox is trimmed to so many entries, then what is too old goes, the newest
first, so that answers go before what they answer; last go the tombstones that nothing hangs on any more.

Never deleted: handovers that no session has accepted, what nobody has finished in a queue, messages with a task that is
not at its end, and what has one of the policy's tags, under any name of the concept that the tag means, given by its
sender, by a holder, or by tagging.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from graph.clock import Clock
from graph.concepts import known_names
from graph.database import Database, Row, Transaction
from graph.engine import Progress
from graph.ids import Prefix, lowest_id
from graph.queries import query
from graph.records import moment
from graph.rules.readers import delivered_token
from graph.rules.retention import Member, Policy, unhung
from graph.rules.retention_ledger import Expired, Ledger, RetentionReport
from graph.sent import FIRST_MOMENT

OLD, BEYOND = query("retention/old"), query("retention/beyond")
FULL, CUT, OLDER = query("retention/full"), query("retention/cut"), query("retention/older")
TOUCHED, LOCK, FACTS = query("retention/touched"), query("retention/lock"), query("retention/facts")
EMPTY_OUT, TRIM = query("retention/empty_out"), query("retention/trim")
BURY, REMOVE, SETTLE = query("retention/bury"), query("retention/remove"), query("retention/settle")
UNTITLE = query("retention/untitle")
TOMBSTONES, BARE = query("retention/tombstones"), query("retention/bare")

#: What one transaction deletes at most; a message that more mailboxes hold is a batch of its own.
BATCH_MESSAGES, BATCH_ENTRIES = 500, 5_000
#: How many messages or entries one query looks at.
WINDOW = 1_000


@dataclass(frozen=True, slots=True)
class _Batch:
    """Messages to take out of one mailbox, or out of every one and away (``mailbox`` is None)."""

    mailbox: str | None
    ids: list[str]


async def apply_retention(
    database: Database,
    clock: Clock,
    policy: Policy,
    *,
    dry_run: bool,
    batches: int | None = None,
    progress: Progress | None = None,
) -> RetentionReport:
    """Delete what the policy says, or with ``dry_run`` count it, and return the figures.

    It ends after ``batches`` transactions where that is said, and says whether more was left; run it again then. A dry
    run and a run on the same graph agree. A tag means what the ontology says of it when the run begins. Raises Refused
    for a tag that means nothing here, before anything; and DatabaseError: what the batches before did stays done.
    """
    policy = replace(policy, except_tags=await known_names(database, policy.except_tags, "exceptTags"))
    now = clock.now()
    run = (_DryRun if dry_run else _Run)(database, policy, now, progress)
    async for batch in run.batches():
        if batches is not None and run.done == batches:
            run.pause()
            return run.ledger.report(dry_run=dry_run, has_more=True)
        run.done += 1
        run.ledger.note(await run.expire(batch))
    await run.collect()
    return run.ledger.report(dry_run=dry_run, has_more=False)


@dataclass
class _Run:
    """A run while it goes on."""

    database: Database
    policy: Policy
    now: datetime
    progress: Progress | None
    ledger: Ledger = field(default_factory=Ledger)
    done: int = 0

    @property
    def _tags(self) -> list[str]:
        return list(self.policy.except_tags)

    async def batches(self) -> AsyncIterator[_Batch]:
        """Yield what is to go: what is too much in each mailbox, then what is too old."""
        if self.policy.keep_per_mailbox is not None:
            async for batch in self._too_many(self.policy.keep_per_mailbox):
                yield batch
        cutoff = self.policy.cutoff(self.now)
        if cutoff is not None:
            async for batch in self._too_old(cutoff):
                yield batch

    async def _too_many(self, keep: int) -> AsyncIterator[_Batch]:
        full = [row["address"] for row in await self.database.fetch(FULL, {"keep": keep})]
        self._start(len(full), "Trimming mailboxes")
        for mailbox in full:
            found = await self.database.fetch(CUT, {"mailbox": mailbox, "keep": keep})
            before = found[0]["uid"] + 1 if found else 0
            asked = {"mailbox": mailbox, "exceptTags": self._tags, "window": WINDOW}
            while rows := await self.database.fetch(BEYOND, {**asked, "before": before}):
                before = rows[-1]["uid"]
                # Only one entry of each message is touched, however many others have it.
                ids = [row["id"] for row in rows if not row["kept"]]
                for start in range(0, len(ids), BATCH_MESSAGES):
                    yield _Batch(mailbox, ids[start : start + BATCH_MESSAGES])
            self._advance(1)
        self._finish()

    async def _too_old(self, cutoff: datetime) -> AsyncIterator[_Batch]:
        # An id sorts by its date, to the millisecond; the query looks at the date itself as well.
        before = lowest_id(Prefix.MESSAGE, cutoff + timedelta(milliseconds=1))
        if self.progress is not None:
            (row,) = await self.database.fetch(OLDER, {"before": before})
            self._start(row["messages"], "Deleting old messages")
        asked = {"cutoff": cutoff, "exceptTags": self._tags, "window": WINDOW}
        while rows := await self.database.fetch(OLD, {**asked, "before": before}):
            before = rows[-1]["id"]
            for ids in _cut([row for row in rows if not row["kept"]]):
                yield _Batch(None, ids)
            self._advance(len(rows))
        self._finish()

    async def expire(self, batch: _Batch) -> Expired:
        """Delete a batch in one transaction."""

        async def work(tx: Transaction) -> Expired:
            await self._lock(tx, batch)
            rows = await tx.run(FACTS, self._facts(batch))
            ids = [row["id"] for row in rows]
            asked: dict[str, Any] = {"ids": ids}
            lost = await (
                tx.run(EMPTY_OUT, asked)
                if batch.mailbox is None
                else tx.run(TRIM, {**asked, **_mailbox(batch.mailbox)})
            )
            gone = {row["id"]: _member(row) for row in rows if _leaves_nobody(batch, row, row["entries"])}
            removed = unhung(gone)
            buried = gone.keys() - removed
            if gone:
                await tx.run(UNTITLE, {"ids": sorted(gone)})
            if buried:
                await tx.run(BURY, {"ids": sorted(buried), "at": self.now})
            await _remove(tx, removed, Counter(member.thread for member in gone.values()))
            return Expired({row["address"]: row["entries"] for row in lost}, _dates(batch, rows), gone, buried)

        return await self.database.write(work)

    def pause(self) -> None:
        """End before everything is done."""

    async def collect(self) -> None:
        """Delete the tombstones that nothing hangs on any more, and then those that only hung together with them."""
        bare = await self._bare()
        for start in range(0, len(bare), BATCH_MESSAGES):
            ids = set(bare[start : start + BATCH_MESSAGES])
            while ids:
                removed = await self._collect(sorted(ids))
                self.ledger.collected += len(removed.keys() - self.ledger.buried)
                self.ledger.buried -= removed.keys()
                ids = _above(removed)

    async def _bare(self) -> list[str]:
        return [row["id"] for row in await self.database.fetch(BARE, {"since": FIRST_MOMENT})]

    async def _collect(self, ids: list[str]) -> dict[str, Member]:
        async def work(tx: Transaction) -> dict[str, Member]:
            await self._lock(tx, _Batch("", ids))
            found = {row["id"]: _member(row) for row in await tx.run(TOMBSTONES, {"ids": ids})}
            removed = unhung(found)
            # They were counted out of their threads when they became tombstones.
            await _remove(tx, removed, Counter(dict.fromkeys((found[id_].thread for id_ in removed), 0)))
            return {id_: found[id_] for id_ in removed}

        return await self.database.write(work)

    async def _lock(self, tx: Transaction, batch: _Batch) -> None:
        (touched,) = await tx.run(TOUCHED, {"ids": batch.ids, "mailbox": batch.mailbox})
        # Whoever sees one of these messages and could answer it waits now, or was faster.
        addresses = {*touched["holders"], *touched["people"]}
        await tx.run(LOCK, {"addresses": sorted(addresses), "threads": sorted(touched["threads"])})

    def _facts(self, batch: _Batch) -> dict[str, Any]:
        return {"ids": batch.ids, "mailbox": batch.mailbox, "exceptTags": self._tags}

    def _start(self, total: int, description: str) -> None:
        if self.progress is not None:
            self.progress.start(total, description)

    def _advance(self, amount: int) -> None:
        if self.progress is not None:
            self.progress.advance(amount)

    def _finish(self) -> None:
        if self.progress is not None:
            self.progress.done()


@dataclass
class _DryRun(_Run):
    """A run that writes nothing, and so remembers what would be gone."""

    _gone: dict[str, Member] = field(default_factory=dict)
    _taken: Counter[str] = field(default_factory=Counter)

    async def expire(self, batch: _Batch) -> Expired:
        """Count a batch."""
        rows = [row for row in await self.database.fetch(FACTS, self._facts(batch)) if row["id"] not in self._gone]
        left = {row["id"]: row["entries"] - self._taken[row["id"]] for row in rows}
        gone = {row["id"]: _member(row) for row in rows if _leaves_nobody(batch, row, left[row["id"]])}
        self._gone |= gone
        if batch.mailbox is not None:
            held = [row["id"] for row in rows if row["held"]]
            self._taken.update(held)
            return Expired({batch.mailbox: len(held)} if held else {}, _dates(batch, rows), gone, set())
        (touched,) = await self.database.fetch(TOUCHED, {"ids": list(left), "mailbox": None})
        entries = dict.fromkeys(touched["holders"], 0)
        self.ledger.entries += sum(left.values())
        return Expired(entries, _dates(batch, rows), gone, set())

    async def collect(self) -> None:
        """Find what would leave a tombstone, and which tombstones of earlier runs would go."""
        known = self._gone | await self._standing(await self._bare())
        looked = set(known)
        removed = unhung(known)
        while wanted := _above({id_: known[id_] for id_ in removed}) - looked:
            looked |= wanted
            known |= await self._standing(wanted)
            removed = unhung(known)
        self.ledger.buried = self._gone.keys() - removed
        self.ledger.collected = len(removed - self._gone.keys())

    def pause(self) -> None:
        """Find what would have left a tombstone so far."""
        self.ledger.buried = self._gone.keys() - unhung(self._gone)

    async def _standing(self, ids: Iterable[str]) -> dict[str, Member]:
        """Return the tombstones among these ids."""
        rows = await self.database.fetch(TOMBSTONES, {"ids": sorted(ids)})
        return {row["id"]: _member(row) for row in rows}


async def _remove(tx: Transaction, removed: set[str], threads: Counter[str]) -> None:
    if removed:
        await tx.run(REMOVE, {"ids": sorted(removed)})
    if threads:
        await tx.run(SETTLE, {"threads": [{"id": id_, "gone": count} for id_, count in sorted(threads.items())]})


def _mailbox(address: str) -> dict[str, str]:
    return {"mailbox": address, "token": delivered_token(address)}


def _cut(rows: Sequence[Row]) -> list[list[str]]:
    """Return the ids in batches of so many messages and entries at most."""
    batches: list[list[str]] = []
    entries = BATCH_ENTRIES
    for row in rows:
        entries += row["entries"]
        if entries > BATCH_ENTRIES or len(batches[-1]) == BATCH_MESSAGES:
            batches.append([])
            entries = row["entries"]
        batches[-1].append(row["id"])
    return batches


def _leaves_nobody(batch: _Batch, row: Row, entries: int) -> bool:
    """Tell whether nobody has a message any more when its batch is done."""
    return batch.mailbox is None or (row["held"] and entries == 1)


def _dates(batch: _Batch, rows: Sequence[Row]) -> list[datetime]:
    return [moment(row["createdAt"]) for row in rows if batch.mailbox is None or row["held"]]


def _member(row: Row) -> Member:
    forks = tuple((fork["thread"], fork["members"]) for fork in row["forks"])
    return Member(row["id"], row["thread"], row["parent"], row["origin"], tuple(row["replies"]), forks)


def _above(members: dict[str, Member]) -> set[str]:
    """Return the messages that these hung on."""
    return {id_ for member in members.values() for id_ in (member.parent, member.origin) if id_ is not None}
