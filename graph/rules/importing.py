"""Where imported mail goes, given what its mailbox holds under its lock.

An import plans ahead, from what it read before it took any lock. What another import wrote since then wins over the
plan: a mail that is here is not added again, an answer joins the thread its parent is really in.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

_HANDLE_LONGEST = 65


@dataclass(frozen=True, slots=True)
class ImportedMail:
    """One mail as it is to be written. Ids with ``mail`` in their names are Message-IDs without angle brackets.

    ``group`` names the thread among the mails of one import; ``thread`` is the id it gets if it is a new one. ``read``
    is whether its owner had read it where it comes from.
    """

    id: str
    mail_id: str
    digest: str
    sender: str
    subject: str
    body_text: str
    created_at: datetime
    parent_mail: str | None
    missing_mail: str | None
    group: str
    thread: str
    read: bool = False


@dataclass(frozen=True, slots=True)
class StoredMail:
    """A mail that is in the mailbox: its message and that one's thread."""

    message: str
    thread: str


@dataclass(frozen=True, slots=True)
class WaitingMail:
    """A message in the mailbox that answers ``missing_mail``, which was not there when it came.

    ``placed`` is whether it sits under an older ancestor meanwhile.
    """

    message: str
    thread: str
    missing_mail: str
    placed: bool = False


@dataclass(frozen=True, slots=True)
class PlacedMail:
    """A mail to write, with its thread and the id of the message that it sits under."""

    mail: ImportedMail
    thread: str
    new_thread: bool
    parent: str | None
    missing_mail: str | None


class Fork(NamedTuple):
    """A waiting message with nothing above it, its thread, and the new parent, which had to go to another thread."""

    message: str
    thread: str
    parent: str


@dataclass(frozen=True, slots=True)
class Placement:
    """What becomes of a batch. ``threads`` are the threads of all groups so far."""

    placed: tuple[PlacedMail, ...]
    present: tuple[ImportedMail, ...]
    threads: Mapping[str, str]
    arrived: tuple[tuple[str, str], ...]
    """(message, parent): a waiting message, and the new one it waited for, in the same thread."""
    forked: tuple[Fork, ...]

    @property
    def changed_threads(self) -> frozenset[str]:
        """The existing threads that the batch adds to, or makes forks."""
        joined = frozenset(row.thread for row in self.placed if not row.new_thread)
        return joined.union(fork.thread for fork in self.forked)


def place(
    batch: Sequence[ImportedMail],
    stored: Mapping[str, StoredMail],
    waiting: Sequence[WaitingMail],
    threads: Mapping[str, str],
) -> Placement:
    """Decide a batch, parents before their answers.

    ``stored`` holds what is there of the batch and its parents by Message-ID, ``waiting`` the messages that miss a
    mail of the batch or one that the batch misses too, ``threads`` the threads of the groups met before.
    """
    located = dict(stored)
    known_threads = dict(threads)
    awaited: dict[str, str] = {}
    for message in waiting:
        thread = awaited.setdefault(message.missing_mail, message.thread)
        awaited[message.missing_mail] = min(thread, message.thread)
    present = tuple(mail for mail in batch if mail.mail_id in stored)
    for mail in present:
        known_threads.setdefault(mail.group, stored[mail.mail_id].thread)
    placed: list[PlacedMail] = []
    for mail in batch:
        if mail.mail_id in stored:
            continue
        row = _placed(mail, located, awaited, known_threads)
        known_threads.setdefault(mail.group, row.thread)
        located[mail.mail_id] = StoredMail(mail.id, row.thread)
        placed.append(row)
    arrived, forked = _arrived(placed, waiting)
    return Placement(tuple(placed), present, known_threads, arrived, forked)


def _placed(
    mail: ImportedMail, located: Mapping[str, StoredMail], awaited: Mapping[str, str], threads: Mapping[str, str]
) -> PlacedMail:
    parent = None if mail.parent_mail is None else located.get(mail.parent_mail)
    if parent is not None:
        return PlacedMail(mail, parent.thread, new_thread=False, parent=parent.message, missing_mail=mail.missing_mail)
    # A parent that was there when the import was planned may be gone; then it is as missing as any other.
    missing = mail.missing_mail or mail.parent_mail
    thread = awaited.get(mail.mail_id) or threads.get(mail.group) or (awaited.get(missing) if missing else None)
    return PlacedMail(mail, thread or mail.thread, new_thread=thread is None, parent=None, missing_mail=missing)


def _arrived(
    placed: Iterable[PlacedMail], waiting: Iterable[WaitingMail]
) -> tuple[tuple[tuple[str, str], ...], tuple[Fork, ...]]:
    """Return who finds what it waited for in its own thread, and who in another (decision 0022)."""
    fresh = {row.mail.mail_id: row for row in placed}
    found = [(message, row) for message in waiting if (row := fresh.get(message.missing_mail)) is not None]
    arrived = tuple((message.message, row.mail.id) for message, row in found if row.thread == message.thread)
    # One that has a place under an older ancestor keeps it: to take it out would tear its own thread.
    forked = tuple(
        Fork(message.message, message.thread, row.mail.id)
        for message, row in found
        if row.thread != message.thread and not message.placed
    )
    return arrived, forked


def import_key(mailbox: str, mail_id: str, longest: int) -> str:
    """Return the idempotency key of a mail in a mailbox; one that would be longer than may be names a hash instead."""
    return _key("mail", f"{mailbox}:", mail_id, longest)


def foreign_key(name: str, longest: int) -> str:
    """Return the idempotency key of a message of another system by its name there; a hash of it where it is long."""
    return _key("foreign", "", name, longest)


def _key(kind: str, within: str, name: str, longest: int) -> str:
    key = f"{kind}:{within}{name}"
    if len(key) <= longest:
        return key
    return f"{kind}-sha256:{within}{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def other_handle(handle: str, attempt: int) -> str:
    """Return the handle for an imported sender whose own one somebody registered here; ``attempt`` counts from 1.

    It shows the handle it stands for and ends in 80 bits of a hash, as every handle that could not be taken as it is.
    """
    digest = sha256(f"{handle} imported {attempt}".encode()).digest()
    suffix = "__" + base64.b32encode(digest).decode("ascii").lower()[:16]
    return handle[: _HANDLE_LONGEST - len(suffix)] + suffix
