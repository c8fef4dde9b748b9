"""Tickets: the keys of work items in a tracker, such as ``repo#123``, ``owner/repo#123`` or ``ABC-12``."""

import re

from graph.errors import RefusalCode, Refused
from graph.rules.text import shown

PREFIX = "ticket:"

_NUMBERED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?#[1-9][0-9]{0,9}")
_PROJECT = re.compile(r"[A-Z][A-Z0-9_]{0,29}-[1-9][0-9]{0,9}")


def ticket_key(written: str, field: str) -> str:
    """Return the canonical key of a ticket; a project key is upper case. Raises Refused for what is not a key."""
    text = written.strip().removeprefix(PREFIX)
    if _NUMBERED.fullmatch(text):
        return text
    if _PROJECT.fullmatch(text.upper()):
        return text.upper()
    raise Refused(
        RefusalCode.INVALID_INPUT,
        f"{field} {shown(written)} is not a ticket; write 'repo#123' or 'ABC-12' (a bare '#123' names no repository).",
        field=field,
    )
