"""Who may write to whom: blocks, the reply policy, and who takes part (ORIGIN §3, DESIGN §3.10).

A block beats every grant. It has one direction: whoever is blocked cannot reach the one who blocked, not the reverse.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.rules.addresses import EVERYONE
from graph.rules.text import shown


class ReplyPolicy(StrEnum):
    """To whom an identity may write directly: to everybody, or to contacts alone. Roles and broadcasts are open."""

    OPEN = "OPEN"
    CONTACTS = "CONTACTS"


class Permission(StrEnum):
    """What an identity allows another. Names are those of the relationships, which point at the one who allowed it."""

    CAN_READ_INBOX_OF = "CAN_READ_INBOX_OF"
    CAN_REPLY_TO = "CAN_REPLY_TO"


class RoleDelivery(StrEnum):
    """EACH: a copy to every member at send time. QUEUE: one shared mailbox, whose entries members claim."""

    EACH = "EACH"
    QUEUE = "QUEUE"


@dataclass(frozen=True, slots=True)
class Box:
    """A mailbox as it stands under its lock. ``delivery`` and ``members`` are those of a role."""

    address: str
    kind: str | None
    status: str | None
    delivery: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """What the rights of a batch's senders depend on: the locked mailboxes, blocks as (sender, who blocks), contacts.

    ``contacts`` are the pairs (sender, target) that may write; None where the policy is open.
    """

    boxes: Mapping[str, Box]
    blocks: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    contacts: frozenset[tuple[str, str]] | None = None


def check_sender(sender: str, standing: Standing) -> None:
    """Raise Refused when the sender takes no part any more."""
    box = standing.boxes.get(sender)
    if box is not None and box.status == "RETIRED":
        raise Refused(
            RefusalCode.FORBIDDEN, f"{sender} is retired and sends nothing; an operator can make it active again."
        )


def check_recipient(sender: str, address: str, kind: str, standing: Standing) -> None:
    """Raise Refused unless ``sender`` may write to ``address``, which stood in ``kind`` (``to`` or ``cc``)."""
    if address == EVERYONE:
        return
    box = standing.boxes.get(address)
    if box is None:
        raise UnknownAddress(address, f"Nobody here is known as {shown(address)}.", field=kind)
    if (sender, address) in standing.blocks:
        raise Refused(
            RefusalCode.BLOCKED,
            f"{kind}: {address} does not take mail from you; leave it out, and write to others.",
            field=kind,
        )
    if box.status == "RETIRED":
        raise Refused(
            RefusalCode.ADDRESS_RETIRED,
            f"{kind}: {address} is retired and reads no mail; write to whoever took over, or to a role.",
            field=kind,
        )
    open_to = box.delivery is not None or address == sender or standing.contacts is None
    if not open_to and (sender, address) not in (standing.contacts or ()):
        raise Refused(
            RefusalCode.FORBIDDEN,
            f"{kind}: the reply policy here is CONTACTS, and {address} has neither written to you nor granted you "
            "CAN_REPLY_TO; ask them for it, or write to a role they hold.",
            field=kind,
        )


def audience(sender: str, standing: Standing) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return whom a broadcast reaches (DESIGN §3.7) and who is skipped because they block the sender."""
    active = [b.address for b in standing.boxes.values() if b.kind == "AGENT" and b.status == "ACTIVE"]
    return _not_blocking(sender, active, standing)


def members(sender: str, role: Box, standing: Standing) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return to whom a role with a copy for each delivers, and who is skipped because they block the sender."""
    # Whoever joined while the locks were awaited has no locked mailbox, and was not a member yet.
    locked = [standing.boxes[m] for m in sorted(role.members) if m in standing.boxes]
    taking_part = [box.address for box in locked if box.status != "RETIRED"]
    return _not_blocking(sender, taking_part, standing)


def _not_blocking(sender: str, addresses: list[str], standing: Standing) -> tuple[tuple[str, ...], frozenset[str]]:
    others = [address for address in addresses if address != sender]
    skipped = frozenset(address for address in others if (sender, address) in standing.blocks)
    return tuple(address for address in others if address not in skipped), skipped
