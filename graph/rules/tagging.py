"""What becomes of an entry's tags when its owner adds some and removes others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from graph.rules.tags import HANDOVER_TAG, canonical_tags
from graph.rules.text import shown


@dataclass(frozen=True, slots=True)
class Retag:
    """Tags to add and to remove, canonical and each once; no tag is in both."""

    add: tuple[str, ...]
    remove: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewTags:
    """An entry's tags from now on, in order, and what of them is new and what is gone."""

    tags: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the entry is not as it was."""
        return bool(self.added or self.removed)


def check_retag(add: Sequence[str], remove: Sequence[str], limits: MessageLimits) -> Retag:
    """Return what is meant. Raises Refused for nothing at all, a bad tag, one in both lists, or the reserved one."""
    wanted = Retag(canonical_tags(add, "add", limits), canonical_tags(remove, "remove", limits))
    if not wanted.add and not wanted.remove:
        raise Refused(
            RefusalCode.INVALID_INPUT, "add and remove are both empty; name at least one tag in either.", field="add"
        )
    for field, tags in (("add", wanted.add), ("remove", wanted.remove)):
        if HANDOVER_TAG in tags:
            raise reserved(field)
    return check_disjoint(wanted)


def check_disjoint(wanted: Retag) -> Retag:
    """Return what was given. Raises Refused for a tag that is to be added and removed at once."""
    for tag in wanted.add:
        if tag in wanted.remove:
            raise Refused(
                RefusalCode.INVALID_INPUT,
                f"{shown(tag)} is in add and in remove; leave it in the one that is meant.",
                field="remove",
            )
    return wanted


def reserved(field: str) -> Refused:
    """Return the refusal of the tag that only writing a handover gives (seed 000)."""
    return Refused(
        RefusalCode.RESERVED_TAG,
        f"{field} names '{HANDOVER_TAG}', which marks handovers and is neither given nor taken by hand; "
        "write one with writeHandover.",
        field=field,
    )


def retagged(tags: Sequence[str], wanted: Retag, names: Mapping[str, Sequence[str]], limits: MessageLimits) -> NewTags:
    """Return the tags of an entry that has ``tags``. Raises Refused with LIMIT_EXCEEDED for more than it may have.

    ``names`` are the names that a tag to remove may have been filed under: its own and its aliases'.
    """
    gone = {name for tag in wanted.remove for name in names.get(tag, (tag,))} - set(wanted.add) - {HANDOVER_TAG}
    removed = tuple(tag for tag in tags if tag in gone)
    added = tuple(tag for tag in wanted.add if tag not in tags)
    kept = tuple(tag for tag in tags if tag not in gone) + added
    if added and len(kept) > limits.tags:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"The entry would have {len(kept)} tags; at most {limits.tags} are allowed. Remove some first.",
            field="add",
        )
    return NewTags(kept, added, removed)
