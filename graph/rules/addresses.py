"""Addresses: ``@self``, ``@ada``, ``role:reviewer``, ``@all`` (seed 002: AgentIdentity, Role or Broadcast).

Who sends may also write ``AGENT:claude/opus``, a model family (ORIGIN §1.3), where one agent alone is of it.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain

from graph.errors import RefusalCode, Refused
from graph.rules.text import shown

SELF = "@self"
EVERYONE = "@all"

_HANDLE = re.compile(r"@[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
_ROLE = re.compile(r"role:[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
_FAMILY = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}/[a-z0-9][a-z0-9._-]{0,62}")
#: Handles that mean something else, or would be mistaken for a sender that is not an agent.
_RESERVED = frozenset({"@self", "@me", "@all", "@everyone", "@here", "@system"})


class AddressKind(StrEnum):
    """What an address names."""

    SELF = "SELF"
    IDENTITY = "IDENTITY"
    ROLE = "ROLE"
    BROADCAST = "BROADCAST"
    FAMILY = "FAMILY"


@dataclass(frozen=True, slots=True)
class Address:
    """One address in its canonical spelling."""

    kind: AddressKind
    text: str


@lru_cache(maxsize=2_048)  # A deployment's agents write to each other again and again; a refusal is not kept.
def parse_address(written: str, field: str) -> Address:
    """Return the address that ``written`` means; near misses such as ``Ada``, ``@@ada``, ``AGENT:@ada`` are mended.

    Raises Refused with INVALID_INPUT, naming ``field``, for what cannot be one.
    """
    # Marks that mail programs and lists put round an address, and labels that other systems put before it.
    text = written.strip().strip("<>\"',;").strip().lower()
    if (role := text.lstrip("@").removeprefix("agent:").lstrip("@")).startswith("role:"):
        text = "role:" + role.removeprefix("role:").strip().lstrip("@")
        if _ROLE.fullmatch(text):
            return Address(AddressKind.ROLE, text)
        raise _malformed(written, field)
    for label in ("agent:", "agentidentity:", "human:"):
        text = text.removeprefix(label)
    name = text.lstrip("@").strip()
    if name in ("self", "me"):
        return Address(AddressKind.SELF, SELF)
    if name in ("all", "everyone", "*") or name.removeprefix("agent:") == "*":
        return Address(AddressKind.BROADCAST, EVERYONE)
    if _FAMILY.fullmatch(name):
        return Address(AddressKind.FAMILY, f"agent:{name}")
    if _HANDLE.fullmatch(handle := f"@{name}"):
        return Address(AddressKind.IDENTITY, handle)
    raise _malformed(written, field)


def check_identity(written: str, field: str) -> str:
    """Return the handle that ``written`` means. Raises Refused unless it is one identity that is named."""
    address = parse_address(written, field)
    if address.kind is not AddressKind.IDENTITY:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(written)} is not one identity; name it, such as '@ada'.",
            field=field,
        )
    return address.text


def check_family(written: str, field: str) -> str:
    """Return the canonical model family, such as ``claude/opus``. Raises Refused for what cannot be one."""
    family = written.strip().lower()
    if not _FAMILY.fullmatch(family):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(written)} is not a model family; write 'maker/model', such as 'claude/opus'.",
            field=field,
        )
    return family


def resolve_self(address: Address, handle: str) -> str:
    """Return the address as text, ``@self`` replaced by the caller's handle."""
    return handle if address.kind is AddressKind.SELF else address.text


def check_handle(written: str, field: str) -> str:
    """Return the canonical handle for a new identity. Raises Refused for what cannot be one, or is reserved."""
    address = parse_address(written, field)
    if address.text in _RESERVED or address.kind is not AddressKind.IDENTITY:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(written)} is reserved or not a handle; choose another, such as '@ada'.",
            field=field,
        )
    return address.text


def nearest(address: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known addresses that look most like ``address``, the likeliest first; none when none does."""
    bare = address.lstrip("@").removeprefix("role:")
    # Compared without what says whether it is an identity or a role, which is what may have been mistaken.
    by_name: dict[str, list[str]] = {}
    for one in sorted(known):
        by_name.setdefault(one.lstrip("@").removeprefix("role:"), []).append(one)
    # Of two with one name, the one of the kind that was written is the likelier.
    close = difflib.get_close_matches(bare, list(by_name), n=3, cutoff=0.6)
    alike = (sorted(by_name[name], key=lambda one: one[0] != address[0]) for name in close)
    return tuple(chain.from_iterable(alike))[:3]


def _malformed(written: str, field: str) -> Refused:
    return Refused(
        RefusalCode.INVALID_INPUT,
        f"{field} {shown(written)} is not an address; write '@handle', 'role:name', '@self' or '@all' "
        "(letters a-z, digits, '.', '_', '-', at most 64 of them).",
        field=field,
    )
