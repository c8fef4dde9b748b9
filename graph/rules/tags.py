"""Tags: the canonical names of concepts, and the tags that mean something to the mailbox itself."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from graph.rules.text import check_text, is_blank, is_one_line, shown

#: Marks a message to oneself as the handover of an ended session (seed 000).
HANDOVER_TAG = "sunset-protocol-handover"


@lru_cache(maxsize=2_048)  # The same few hundred tags come again and again, and a refusal is not kept.
def canonical_tag(written: str, field: str, limits: MessageLimits) -> str:
    """Return the canonical name: NFC, lower case, no ``#``, no ``CONCEPT:`` prefix. Raises Refused for none at all."""
    check_text(written, field, characters=4 * limits.tag_characters)
    name, before = written, None
    # Each step may uncover what another takes away, as in "#CONCEPT:#tide".
    while name != before:
        before = name
        name = unicodedata.normalize("NFC", name.replace("#", "")).lower().strip().removeprefix("concept:")
    if is_blank(name) or not is_one_line(written):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(written)} is not a tag; write a name such as 'review'.",
            field=field,
        )
    if len(name) > limits.tag_characters:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} {shown(written)} has {len(name)} characters; a tag has at most {limits.tag_characters}.",
            field=field,
        )
    return name


def canonical_prefix(written: str, field: str, limits: MessageLimits) -> str:
    """Return how names begin that are written like this; empty for what is blank. Raises Refused as for a tag."""
    begun = written.replace("#", "").lstrip()
    if not begun:
        return ""
    # A space at its end may be one within the name.
    return canonical_tag(begun, field, limits) + (" " if begun[-1].isspace() else "")


def canonical_tags(written: Iterable[str], field: str, limits: MessageLimits) -> tuple[str, ...]:
    """Return the canonical names in the order written, each once. Raises Refused for a bad one or too many."""
    names = tuple(dict.fromkeys(canonical_tag(tag, field, limits) for tag in written))
    if len(names) > limits.tags:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} has {len(names)} tags; at most {limits.tags} are allowed.",
            field=field,
        )
    return names


def concepts_of(tags: Iterable[str], aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Return the concepts that tags mean, in order and each once; ``aliases`` are concepts by alias."""
    return tuple(dict.fromkeys(aliases.get(tag, tag) for tag in tags))
