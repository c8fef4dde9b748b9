"""Made-up mails to import, and what the graph made of them."""

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graph.bootstrap import Graph
from graph.importing import KNOWN
from seed.mail import handle_for
from tests.support import Agents

START = datetime(2004, 5, 6, 7, 8, 9, tzinfo=UTC)


@dataclass
class Letters:
    """Made-up mails in a folder, from people that no other test has."""

    folder: Path
    domain: str = field(default_factory=lambda: f"lamp-{secrets.token_hex(3)}.example")

    def sender(self, name: str) -> str:
        return handle_for(f"{name}@{self.domain}")

    def write(
        self,
        mail_id: str,
        *answers: str,
        sender: str = "keeper",
        subject: str = "Oil",
        day: int | None = 0,
        text: str = "The lamp needs oil.",
    ) -> None:
        """Write a mail; ``answers`` are the ids it descends from, the one it answers last."""
        lines = [f"From: {sender.title()} <{sender}@{self.domain}>", f"Message-ID: <{mail_id}>", f"Subject: {subject}"]
        if answers:
            lines += [f"In-Reply-To: <{answers[-1]}>", "References: " + " ".join(f"<{id_}>" for id_ in answers)]
        if day is not None:
            lines.append(f"Date: {START + timedelta(days=day):%a, %d %b %Y %H:%M:%S} +0000")
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{mail_id}.eml").write_text("\n".join([*lines, "", text]), encoding="utf-8")


async def tree(graph: Graph, agents: Agents, mailbox: str) -> dict[str, tuple[str | None, int]]:
    """Return each mail's parent and depth in its thread, by Message-ID, as the thread's rows tell them."""
    mails = {entry.message.id: entry.message for entry in await agents.entries(mailbox)}
    names = await mail_ids(graph, mailbox)
    found: dict[str, tuple[str | None, int]] = {}
    for thread in {mail.thread for mail in mails.values()}:
        for place in await agents.thread(mailbox, thread):
            if place.message in names:
                parent = None if place.parent is None else names[place.parent]
                found[names[place.message]] = (parent, place.depth)
    return found


async def mail_ids(graph: Graph, mailbox: str) -> dict[str, str]:
    """Return the Message-IDs of a mailbox's mails, by the ids of their messages."""
    rows = await graph.database.fetch(
        KNOWN, {"mailbox": mailbox, "ids": [f"{name}@x" for name in (*"abc", *range(20))]}
    )
    return {row["id"]: row["mailId"] for row in rows}
