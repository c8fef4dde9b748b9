"""What an operator may say of a concept: its description, its aliases, and what is broader than it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from graph.rules.tags import HANDOVER_TAG, canonical_tag
from graph.rules.text import check_text, shown


@dataclass(frozen=True, slots=True)
class ConceptInput:
    """What an operator says of a concept: what is None stays as it is, a list takes the place of the one before."""

    name: str
    description: str | None = None
    aliases: tuple[str, ...] | None = None
    broader: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class KnownConcept:
    """A concept as it stands in the graph."""

    registered: bool
    alias_of: str | None


def check_concept(said: ConceptInput, limits: MessageLimits) -> ConceptInput:
    """Return what is said in canonical form. Raises Refused for the first thing wrong in it."""
    name = _name(said.name, "name", limits)
    description = said.description
    if description is not None:
        check_text(description, "description", characters=limits.description_characters, empty=True)
    aliases = _names(said.aliases, "aliases", limits)
    if name in (aliases or ()):
        raise Refused(
            RefusalCode.INVALID_INPUT, f"aliases: {shown(name)} is the concept itself; leave it out.", field="aliases"
        )
    return ConceptInput(name, description, aliases, _names(said.broader, "broader", limits))


def check_names(said: ConceptInput, known: Mapping[str, KnownConcept]) -> None:
    """Raise Refused with CONFLICT for a concept that is an alias already, and an alias that is something else."""
    if (other := known[said.name].alias_of) is not None:
        raise Refused(
            RefusalCode.CONFLICT,
            f"name {shown(said.name)} is an alias of {shown(other)}; define that one, or take the alias from it first.",
            field="name",
        )
    for alias in said.aliases or ():
        if known[alias].registered:
            raise Refused(
                RefusalCode.CONFLICT,
                f"aliases: {shown(alias)} is a registered concept of its own, which cannot be an alias too.",
                field="aliases",
            )
        if known[alias].alias_of not in {None, said.name}:
            raise Refused(
                RefusalCode.CONFLICT,
                f"aliases: {shown(alias)} is an alias of {shown(known[alias].alias_of or '')}; take it from that one "
                "first.",
                field="aliases",
            )


def check_broader(said: ConceptInput, registered: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the concepts that are to be broader, an alias as what it stands for. Raises Refused for an unknown one."""
    if said.broader is None:
        return None
    for name in said.broader:
        if name not in registered:
            raise Refused(
                RefusalCode.NOT_FOUND,
                f"broader: {shown(name)} is not a registered concept; define it first.",
                field="broader",
            )
    return tuple(dict.fromkeys(registered[name] for name in said.broader))


def cycle(names: Sequence[str]) -> Refused:
    """Return the refusal of a concept that would be broader than itself. ``names`` lead from it up to it again."""
    way = " → ".join(names)
    return Refused(
        RefusalCode.CONFLICT,
        f"broader would make a circle: {way}. Take one of these steps away first.",
        field="broader",
    )


def _name(written: str, field: str, limits: MessageLimits) -> str:
    name = canonical_tag(written, field, limits)
    if name == HANDOVER_TAG:
        raise Refused(
            RefusalCode.RESERVED_TAG, f"{field} names '{HANDOVER_TAG}', which has its own meaning here.", field=field
        )
    return name


def _names(written: Sequence[str] | None, field: str, limits: MessageLimits) -> tuple[str, ...] | None:
    if written is None:
        return None
    if len(written) > limits.concept_names:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} names {len(written)}; at most {limits.concept_names} are allowed (conceptNames).",
            field=field,
        )
    return tuple(dict.fromkeys(_name(one, field, limits) for one in written))
