"""The graph's own account of mailboxes and messages, in Cypher that only tests run, to hold the program to it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from neo4j.time import DateTime

from graph.database import Database, Transaction
from graph.queries import Query
from graph.rules.tags import HANDOVER_TAG

# Counters and lists are read under the mailbox's lock, since an unlocked scan may see half of a commit (DESIGN §3.3).
MAILBOX = Query(
    "test/mailbox",
    """
    MATCH (b:Mailbox {address: $mailbox})
    SET b.lock = 1
    WITH b
    RETURN b.uidNext AS uidNext, b.modseq AS modseq, b.unreadCount AS unreadCount,
      COLLECT {
        MATCH (m:Message)-[d:DELIVERED_TO]->(b)
        RETURN {message: m.id, uid: d.uid, modseq: d.modseq, folder: d.folder, unread: d.unread, readAt: d.readAt,
          archivedAt: d.archivedAt, tags: d.tags, mailbox: d.mailbox, finishedAt: d.finishedAt,
          pending: coalesce(d.pending, false), accepted: EXISTS { (m)-[:ACCEPTED_BY]->(:Session) }}
        ORDER BY d.uid
      } AS entries,
      COLLECT {
        MATCH (m:Message)-[f:FILED_UNDER]->(b)
        RETURN {message: m.id, uid: f.uid, folder: f.folder, concept: f.concept, unread: f.unread, mailbox: f.mailbox}
      } AS filed
    """,
)
# Of the messages of these senders: whatever is not whole, with a word for what it lacks. Who is named has it; a role
# that copies, and a broadcast, may reach nobody. Concepts that automatic tagging found (with a source) are no tags.
BROKEN = Query(
    "test/broken",
    """
    MATCH (m:Message)-[by:SENT_BY]->() WHERE by.sender IN $senders
    WITH m, {
      sender: COUNT { (m)-[:SENT_BY]->(:AgentIdentity) } = 1,
      thread: COUNT { (m)-[:PART_OF_THREAD]->(:Thread) } = 1,
      recipients: COUNT { (m)-[:SENT_TO]->() } > 0,
      deliveries: NOT EXISTS {
        MATCH (m)-[:SENT_TO]->(b:Mailbox) WHERE (b:AgentIdentity OR b.delivery = 'QUEUE')
          AND NOT EXISTS { (m)-[:DELIVERED_TO]->(b) }
      },
      tags: COUNT { (m)-[t:TAGGED_CONCEPT]->(:Concept) WHERE t.source IS NULL } = size(m.tags),
      properties: NONE(p IN ['id', 'subject', 'bodyText', 'createdAt', 'priority', 'kind'] WHERE m[p] IS NULL)
    } AS whole
    WITH m, [part IN keys(whole) WHERE NOT whole[part]] AS lacks
    WHERE size(lacks) > 0
    RETURN m.id AS message, lacks
    """,
)
# Of the threads that these senders wrote to: each with its counters, and with what they should say. What retention left
# of a message that it deleted is a place in the thread, and no message.
THREADS = Query(
    "test/threads",
    """
    MATCH (m:Message)-[by:SENT_BY]->() WHERE by.sender IN $senders
    MATCH (m)-[:PART_OF_THREAD]->(t:Thread)
    WITH DISTINCT t
    MATCH (x:Message)-[:PART_OF_THREAD]->(t) WHERE x.expungedAt IS NULL
    RETURN t.id AS thread, t.messageCount AS said, count(x) AS counted,
      t.lastMessageAt AS saidLast, max(x.createdAt) AS foundLast
    """,
)
SENT = Query(
    "test/sent",
    "MATCH (m:Message)-[by:SENT_BY]->() WHERE by.sender IN $senders RETURN m.id AS message, by.idempotencyKey AS key",
)


@dataclass(frozen=True)
class Entry:
    """One mailbox entry as its delivery edge has it."""

    message: str
    uid: int
    modseq: int
    folder: str
    unread: bool | None
    readAt: DateTime | None  # noqa: N815 - the graph's name
    archivedAt: DateTime | None  # noqa: N815 - the graph's name
    tags: tuple[str, ...]
    mailbox: str
    finishedAt: DateTime | None  # noqa: N815 - the graph's name
    pending: bool
    accepted: bool

    @property
    def awaited(self) -> bool:
        """Whether it must be pending: in a queue until it is finished, as a handover until a session accepts it."""
        if self.mailbox.startswith("role:"):
            return self.finishedAt is None
        return HANDOVER_TAG in self.tags and not self.accepted


@dataclass(frozen=True)
class Filed:
    """One entry of the tag index."""

    message: str
    uid: int
    folder: str
    concept: str
    unread: bool | None
    mailbox: str


@dataclass(frozen=True)
class MailboxAudit:
    """A mailbox's counters, and everything that they count."""

    address: str
    uid_next: int
    modseq: int
    unread_count: int
    entries: tuple[Entry, ...]
    filed: tuple[Filed, ...] = field(repr=False)

    @property
    def unread(self) -> set[str]:
        """The messages whose entry is unread and in the inbox."""
        return {entry.message for entry in self.entries if entry.unread and entry.folder == "INBOX"}

    @property
    def archived(self) -> set[str]:
        """The messages whose entry is archived."""
        return {entry.message for entry in self.entries if entry.folder == "ARCHIVE"}

    @property
    def messages(self) -> list[str]:
        """The message of each entry, in the order of uids."""
        return [entry.message for entry in self.entries]

    def faults(self) -> list[str]:
        """Return a sentence for each thing that does not agree with another. None of them may be there, ever."""
        count = len(self.entries)
        modseqs = [entry.modseq for entry in self.entries]
        indexed = Counter((f.message, f.uid, f.folder, f.concept, f.unread) for f in self.filed)
        expected = Counter((e.message, e.uid, e.folder, tag, e.unread) for e in self.entries for tag in e.tags)
        checks = {
            "uids are not 1 to n": [entry.uid for entry in self.entries] == list(range(1, count + 1)),
            "uidNext is not the next one": self.uid_next == count + 1,
            "a message is in it twice": len({entry.message for entry in self.entries}) == count,
            "a modseq repeats": len(set(modseqs)) == count,
            "modseq is not the highest of its entries": self.modseq == max(modseqs, default=0),
            "unreadCount is not the number of unread entries": self.unread_count == len(self.unread),
            "an entry is neither unread nor read": all(e.unread or e.readAt is not None for e in self.entries),
            "an entry is in no folder": all(e.folder in ("INBOX", "ARCHIVE") for e in self.entries),
            "archivedAt is not whether it is archived": all(
                (e.folder == "ARCHIVE") is (e.archivedAt is not None) for e in self.entries
            ),
            "an entry is under another mailbox's name": all(e.mailbox == self.address for e in self.entries),
            "the tag index is under another mailbox's name": all(f.mailbox == self.address for f in self.filed),
            "an entry is pending that nobody waits for, or the reverse": all(
                e.pending is e.awaited for e in self.entries
            ),
            "the tag index is not the entries' tags and state": indexed == expected,
        }
        return [f"{self.address}: {fault}" for fault, holds in checks.items() if not holds]


async def mailbox_audit(database: Database, address: str) -> MailboxAudit:
    """Return the account of one mailbox, all of it of one moment."""

    async def work(tx: Transaction) -> MailboxAudit:
        (row,) = await tx.run(MAILBOX, {"mailbox": address})
        return MailboxAudit(
            address,
            row["uidNext"],
            row["modseq"],
            row["unreadCount"],
            tuple(Entry(**{**entry, "tags": tuple(entry["tags"])}) for entry in row["entries"]),
            tuple(Filed(**filed) for filed in row["filed"]),
        )

    return await database.write(work)


async def faults(database: Database, senders: Sequence[str]) -> list[str]:
    """Return a sentence for each fault in the mailboxes of these identities and in what they sent."""
    found = [fault for each in senders for fault in (await mailbox_audit(database, each)).faults()]
    broken = await database.fetch(BROKEN, {"senders": senders})
    found += [f"{row['message']} is half-written: it lacks {', '.join(row['lacks'])}" for row in broken]
    counted = await database.fetch(THREADS, {"senders": senders})
    return found + [
        f"{row['thread']} says {row['said']} messages until {row['saidLast']}; it has {row['counted']}"
        for row in counted
        if row["said"] != row["counted"] or row["saidLast"] != row["foundLast"]
    ]


async def sent_messages(database: Database, senders: Sequence[str]) -> dict[str, str | None]:
    """Return the messages that these identities sent, each with its idempotency key."""
    return {row["message"]: row["key"] for row in await database.fetch(SENT, {"senders": senders})}
