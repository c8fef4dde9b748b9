"""What a subject is about, without what mailers put around it: the base subject of RFC 5256, section 2.1. Pure."""

import re

_BLOB = re.compile(r"\[[^\[\]]*\]\s*")
_LEADER = re.compile(r"(?:\[[^\[\]]*\]\s*)*(re|fwd?)\s*(?:\[[^\[\]]*\]\s*)?:\s*", re.IGNORECASE)
_TRAILER = re.compile(r"(?:\s|\(fwd\))+\Z", re.IGNORECASE)
_FORWARDED = "[fwd:"


def base_subject(subject: str) -> tuple[str, bool]:
    """Return the base subject, folded for comparison, and whether the outermost mark on it is ``Re:``.

    ``[list] Re: Fwd: Oil (fwd)`` is about ``oil`` and a reply; ``Fwd: Re: Oil`` is about the same and none. The base of
    a subject of nothing but marks is empty, and then nothing can be told by it.
    """
    text, first = " ".join(subject.split()), ""
    before = None
    while text != before:
        before = text
        text = _TRAILER.sub("", text)
        if text.lower().startswith(_FORWARDED) and text.endswith("]"):
            first, text = first or "fwd", text[len(_FORWARDED) : -1].strip()
        elif leader := _LEADER.match(text):
            first, text = first or leader[1].lower(), text[leader.end() :]
        elif (blob := _BLOB.match(text)) and blob.end() < len(text):
            text = text[blob.end() :]
    return text.casefold(), first == "re"
