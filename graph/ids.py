"""Ids: TypeIDs, a readable prefix and a UUIDv7 (DESIGN §2).

An id sorts by its time, converts to a plain UUIDv7 without loss, and says by its prefix which label to look under.
Identities, the broadcast and tickets are known by name instead: ``@ada``, ``@all``, ``ticket:repo#123``.
"""

from datetime import datetime
from enum import StrEnum

import uuid_utils
from typeid import TypeID
from typeid.errors import TypeIDException


class Prefix(StrEnum):
    """The prefixes in use, each with the label of the nodes it names."""

    MESSAGE = "msg"
    THREAD = "thr"
    SESSION = "ses"
    MEMORY = "mem"
    TASK = "task"
    CREDENTIAL = "cred"


def new_id(prefix: Prefix, at: datetime) -> str:
    """Return a fresh id whose time is ``at`` (aware; nothing before 1970 can be said, and becomes 1970)."""
    nanoseconds = max(0, int(at.timestamp() * 1000)) * 1_000_000
    return str(TypeID.from_uuid(suffix=uuid_utils.uuid7(nanoseconds=nanoseconds), prefix=prefix.value))


def lowest_id(prefix: Prefix, at: datetime) -> str:
    """Return what the ids of every earlier millisecond than that of ``at`` sort below, and no id of a later one."""
    milliseconds = max(0, int(at.timestamp() * 1000))
    # The version and the variant of a UUIDv7, and nothing of what would be random.
    value = milliseconds << 80 | 0x7 << 76 | 0b10 << 62
    return str(TypeID.from_uuid(suffix=uuid_utils.UUID(int=value), prefix=prefix.value))


def prefix_of(text: str) -> Prefix | None:
    """Return the prefix of a well-formed id of ours, or None for anything else."""
    try:
        parsed = TypeID.from_string(text)
        return Prefix(parsed.prefix)
    except (TypeIDException, ValueError):
        return None


def is_id(text: str, prefix: Prefix) -> bool:
    """Tell whether ``text`` is a well-formed id with exactly this prefix."""
    return prefix_of(text) is prefix
