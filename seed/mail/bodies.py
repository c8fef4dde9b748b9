"""The readable text of a mail: which parts count, in which charset, and what is left out by name."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import (
    FirstHeaderLineIsContinuationDefect,
    MalformedHeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)
from email.message import Message

from seed.mail.markup import html_to_text
from seed.mail.text import clean_body, decode_bytes, decode_header_text

HEADER_DEFECTS = (
    FirstHeaderLineIsContinuationDefect,
    MalformedHeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)
"""The library's defects of headers; every other one is of the body."""
_MARKUP_LIMIT = 4 * 1024 * 1024
_NAME_LIMIT = 200


@dataclass(slots=True)
class Body:
    """The text so far and what was noticed while reading it."""

    text: str = ""
    attachments: list[str] = field(default_factory=list)
    bad_charset: bool = False
    broken: bool = False


@dataclass(frozen=True, slots=True)
class _Leaf:
    part: Message
    choice: int | None
    """The outermost multipart/alternative it belongs to: of its texts only the plainest is shown."""


def read_body(mail: Message) -> Body:
    """Return the text of all parts that are shown inline, in order, plain text preferred to HTML.

    Attachments, attached mails included, are named and not read.
    """
    body = Body()
    shown: dict[int, list[tuple[bool, str]]] = {}
    for number, leaf in enumerate(_leaves(mail)):
        kind = _kind(leaf.part)
        if kind not in {"text/plain", "text/html"} or _is_attachment(leaf.part):
            # An alternative that is no text is another form of what is shown, not something left out.
            if leaf.choice is None or _is_attachment(leaf.part):
                body.attachments.append(_attachment_name(leaf.part, kind, body))
            continue
        text = _text(leaf.part, body)
        if text.strip():
            # Keys keep the parts' order; a part outside any choice gets a key of its own.
            key = -1 - number if leaf.choice is None else leaf.choice
            shown.setdefault(key, []).append((kind == "text/plain", text))
    body.text = "\n\n".join(_reduced(texts) for texts in shown.values())
    # Decoding a part adds to its defects, so they are looked at last.
    body.broken |= any(_is_broken(part) for part in _parts(mail))
    return body


def _reduced(texts: list[tuple[bool, str]]) -> str:
    plain = [text for is_plain, text in texts if is_plain]
    if plain:
        return "\n\n".join(plain)
    return "\n\n".join(html_to_text(text[:_MARKUP_LIMIT]) for _, text in texts)


def _leaves(mail: Message) -> Iterator[_Leaf]:
    """Yield the parts that have no parts, depth first, without recursion."""
    pending: list[_Leaf] = [_Leaf(mail, None)]
    while pending:
        leaf = pending.pop()
        inner = _inner(leaf.part)
        if inner is None:
            yield leaf
            continue
        choice = leaf.choice
        if choice is None and _kind(leaf.part) == "multipart/alternative":
            choice = id(leaf.part)
        pending.extend(_Leaf(part, choice) for part in reversed(inner))


def _parts(mail: Message) -> Iterator[Message]:
    """Yield the mail and all its parts; what lies in attached mails is not looked into."""
    pending = [mail]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(_inner(part) or ())


def _inner(part: Message) -> list[Message] | None:
    # Asked for anything but a list, get_payload would decode the text, by whatever charset the mail names.
    content = part.get_payload() if part.is_multipart() else None
    if not isinstance(content, list) or _kind(part).startswith("message/"):
        return None
    return [inner for inner in content if isinstance(inner, Message)]


def _is_broken(part: Message) -> bool:
    return any(not isinstance(defect, HEADER_DEFECTS) for defect in part.defects)


def _kind(part: Message) -> str:
    try:
        kind = part.get_content_type()
    except Exception:  # noqa: BLE001 - the library's header parsers raise whatever a hostile header leads them to
        return "text/plain"
    # A multipart without parts lost its boundary; its text is all there is to show.
    return "text/plain" if kind.startswith("multipart/") and not part.is_multipart() else kind


def _is_attachment(part: Message) -> bool:
    try:
        return part.get_content_disposition() == "attachment" or bool(part.get_filename())
    except Exception:  # noqa: BLE001 - as in _kind
        return False


def _attachment_name(part: Message, kind: str, body: Body) -> str:
    try:
        written = str(part.get_filename() or "")
    except Exception:  # noqa: BLE001 - as in _kind
        written = ""
    name, repaired = decode_header_text(written[: 4 * _NAME_LIMIT])
    body.bad_charset |= repaired
    shown_kind = decode_header_text(kind[:_NAME_LIMIT])[0]
    return f"{name[:_NAME_LIMIT]} ({shown_kind})" if name else shown_kind


def _text(part: Message, body: Body) -> str:
    try:
        content = part.get_payload(decode=True)
    except Exception:  # noqa: BLE001 - as in _kind; the transfer encoding is the sender's
        content = None
    if not isinstance(content, bytes):
        body.broken = True
        return ""
    text, repaired = decode_bytes(content, _charset(part))
    body.bad_charset |= repaired
    return clean_body(text)


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except Exception:  # noqa: BLE001 - as in _kind
        return None
