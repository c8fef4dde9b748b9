"""What an agent wrote in a period, or what a session left, as Markdown that is ready to be summed up.

python docs/examples/retrospective.py @ada 2026-10-01 2027-01-01
python docs/examples/retrospective.py ses_01h2xcejqtf2nbrexx3vqjhp41
"""

# ruff: noqa: INP001, T201 - a script, and no package

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from graph.model import AgentIdentity, Session, connected


def of_agent(handle: str, since: datetime, until: datetime) -> Iterator[str]:
    """Tell what an agent wrote from one day up to another."""
    agent: Any = AgentIdentity.nodes.get(handle=handle)
    written = agent.written.filter(createdAt__gte=since, createdAt__lt=until).order_by("createdAt").all()
    yield f"# What {handle} wrote from {since:%Y-%m-%d} to {until:%Y-%m-%d}"
    yield f"\n{len(written)} messages."
    yield from told(written)


def of_session(id_: str) -> Iterator[str]:
    """Tell what was written in a session, what it was handed over, and what its agent remembered in it."""
    session: Any = Session.nodes.get(typeid=id_)
    yield f"# Session {session.externalId} of {session.agent}"
    yield "\n## Taken over from"
    yield from told(session.accepted.order_by("createdAt").all())
    yield "\n## Written"
    yield from told(session.messages.order_by("createdAt").all())
    yield "\n## Spoken of"
    yield from told(session.mentions.order_by("createdAt").all())
    yield "\n## Remembered"
    for memory in session.memories.order_by("createdAt").all():
        yield f"\n* {memory.createdAt:%Y-%m-%d %H:%M} {memory.text}"


def told(messages: list[Any]) -> Iterator[str]:
    """Tell of each message when it was sent and to whom, what it is about, what it says and who answered."""
    for message in messages:
        recipients = [*message.addressees.all(), *message.broadcasts.all()]
        to = ", ".join(sorted(one.address for one in recipients))
        yield f"\n* {message.createdAt:%Y-%m-%d %H:%M} to {to}: **{message.subject or '(retracted)'}**"
        if about := [*(f"#{tag}" for tag in sorted(message.tags)), *sorted(one.key for one in message.tickets.all())]:
            yield f"  about {', '.join(about)}"
        yield from (f"  > {line}" for line in message.bodyText.splitlines())
        # What retention deleted has left a place in its thread, and no sender.
        by = {reply.sender.single().handle for reply in message.replies.all() if reply.expungedAt is None}
        if answered := by - {message.sender.single().handle}:
            yield f"  answered by {', '.join(sorted(answered))}"
        elif message.expectsReply and message.retractedAt is None:
            yield "  **still waits for an answer**"


TOMORROW = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}"


def main(named: str, since: str = "1970-01-01", until: str = TOMORROW) -> None:
    """Print what was asked for. Days and times are those of UTC."""
    begin, end = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (since, until))
    with connected():
        print("\n".join(of_agent(named, begin, end) if named.startswith("@") else of_session(named)))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    main(*sys.argv[1:])
