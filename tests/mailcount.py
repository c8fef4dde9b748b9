"""A mail archive counted from its files with the standard library alone, to compare what an import makes of it.

It shares no code with the importer. ``python tests/mailcount.py PATH`` prints the count of an mbox, a Maildir or a tree
of ``.eml`` files.
"""

import email
import json
import mailbox
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import Path

NEVER = datetime.max.replace(tzinfo=UTC)
FIELDS = ("from", "sender", "reply-to", "to", "cc")


@dataclass(frozen=True)
class Mail:
    """One mail: its ids, when it was written, and by whom. ``above`` are the mails it descends from, nearest first."""

    id: str
    above: tuple[str, ...]
    date: datetime
    sender: str


@dataclass(frozen=True)
class Count:
    """What an archive comes to. A level is a mail above another one; a parent that is not there is one too."""

    mails: int
    repeated: int
    threads: int
    alone: int
    missing_parents: int
    deepest: int
    largest: int
    top: tuple[tuple[str, int], ...]


def messages(path: Path) -> Iterator[Message]:
    """Yield the mails of an archive in the order of their places."""
    if path.is_file():
        box = mailbox.mbox(path, create=False)
        yield from box
        box.close()
    elif (path / "cur").is_dir():
        files = [file for folder in ("cur", "new") for file in sorted((path / folder).iterdir())]
        yield from (email.message_from_bytes(file.read_bytes()) for file in files)
    else:
        yield from (email.message_from_bytes(file.read_bytes()) for file in sorted(path.rglob("*.eml")))


def mail_of(message: Message, number: int) -> Mail:
    """Return what counts of a message."""
    own = _ids(message["message-id"])[:1] or [f"no id, mail {number}"]
    addresses = {found.lower() for key in FIELDS for found in re.findall(r"[\w.+-]+@[\w.-]+", str(message[key] or ""))}
    answered = [found for found in _ids(message["in-reply-to"]) if found.lower() not in addresses][-1:]
    above = dict.fromkeys([*answered, *reversed(_ids(" ".join(message.get_all("references", []))))])
    return Mail(own[0], tuple(found for found in above if found != own[0]), _date(message), _sender(message))


def _ids(value: object) -> list[str]:
    return ["".join(found.split()) for found in re.findall(r"<([^<>]+)>", str(value or ""))]


def _date(message: Message) -> datetime:
    try:
        found = parsedate_to_datetime(str(message["date"]))
    except (ValueError, TypeError):
        return NEVER
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _sender(message: Message) -> str:
    return parseaddr(str(message["from"] or ""))[1].lower()


def count(path: Path, most: int = 10) -> Count:
    """Count an archive."""
    all_mails = [mail_of(message, number) for number, message in enumerate(messages(path))]
    mails: dict[str, Mail] = {}
    for mail in all_mails:
        mails.setdefault(mail.id, mail)
    threads = _threads(mails)
    parents = {mail.id: next((id_ for id_ in mail.above if id_ in mails), None) for mail in mails.values()}
    circles = _open_circles(mails, parents)
    waiting = {id_ for id_, parent in parents.items() if parent is None and mails[id_].above and id_ not in circles}
    senders = Counter(mail.sender for mail in mails.values())
    return Count(
        mails=len(mails),
        repeated=len(all_mails) - len(mails),
        threads=len(threads),
        alone=sum(len(thread) == 1 for thread in threads),
        missing_parents=len({mails[id_].above[0] for id_ in waiting}),
        deepest=max((_levels(id_, parents, waiting) for id_ in mails), default=0),
        largest=max((len(thread) for thread in threads), default=0),
        top=tuple(sorted(senders.items(), key=lambda item: (-item[1], item[0]))[:most]),
    )


def _threads(mails: dict[str, Mail]) -> list[set[str]]:
    """Return the mails that hang together, be it by a mail that is not there."""
    beside: dict[str, set[str]] = defaultdict(set)
    for mail in mails.values():
        for id_ in mail.above:
            beside[mail.id].add(id_)
            beside[id_].add(mail.id)
    threads: list[set[str]] = []
    done: set[str] = set()
    for start in mails:
        if start in done:
            continue
        found, pending = {start}, [start]
        while pending:
            fresh = beside[pending.pop()] - found
            found |= fresh
            pending += fresh
        done |= found
        threads.append(found & mails.keys())
    return threads


def _open_circles(mails: dict[str, Mail], parents: dict[str, str | None]) -> set[str]:
    """Take its parent from the oldest mail of each circle, and return those mails."""
    opened: set[str] = set()
    for start in mails:
        path: list[str] = []
        here: str | None = start
        while here is not None and here not in path:
            path.append(here)
            here = parents[here]
        if here is not None:
            oldest = min(path[path.index(here) :], key=lambda id_: (mails[id_].date, id_))
            parents[oldest] = None
            opened.add(oldest)
    return opened


def _levels(id_: str, parents: dict[str, str | None], waiting: set[str]) -> int:
    levels = 1
    while (above := parents[id_]) is not None:
        id_, levels = above, levels + 1
    return levels + (id_ in waiting)


if __name__ == "__main__":
    print(json.dumps(asdict(count(Path(sys.argv[1]))), indent=1))  # noqa: T201 - what it is run for
