"""One mail's bytes into one plain record. Pure and total: no bytes make it raise."""

import re
from dataclasses import dataclass
from datetime import datetime
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from hashlib import sha256

from seed.mail.bodies import HEADER_DEFECTS, Body, read_body
from seed.mail.headers import (
    LATEST_DATE,
    addresses_in,
    date_of,
    envelope_date,
    message_ids,
    parent_id,
    received_date,
    sender_of,
)
from seed.mail.problems import DateSource, Problem
from seed.mail.text import clean_body, cut_utf8, decode_bytes, decode_header_text

_HEADER_LIMIT = 64 * 1024
_SUBJECT_NOTE = "… [truncated]"
_BODY_NOTE = "\n\n[The import cut this mail here: it is longer than a message may be.]\n"
_HEADER_LINE = re.compile(rb"[!-9;-~]+:")


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """How much of a mail is kept, and which dates are believed."""

    subject_chars: int = 998
    body_bytes: int = 1024 * 1024
    latest_date: datetime = LATEST_DATE


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """What the importer knows of one mail. Ids have no angle brackets; times are UTC."""

    name: str
    digest: str
    """SHA-256 of the mail without an mbox ``From `` line, in hex."""
    message_id: str
    in_reply_to: str | None
    references: tuple[str, ...]
    subject: str
    sender_name: str | None
    sender_address: str | None
    date: datetime | None
    date_source: DateSource | None
    """HEADER, RECEIVED or ENVELOPE; None exactly when ``date`` is."""
    body_text: str
    attachments: tuple[str, ...]
    problems: tuple[Problem, ...]
    """Each kind once, in the order of the enum."""

    @property
    def content_digest(self) -> str:
        """SHA-256, in hex, of what is imported of it: who wrote what. Two copies that came other ways have the same."""
        return sha256(
            "\0".join((self.sender_address or "", self.subject, self.body_text.rstrip())).encode()
        ).hexdigest()


DEFAULT_LIMITS = ParseLimits()


class _BoundedHeaders(Compat32):
    """The old policy with an end to each header: the library's parameter parser is quadratic in a header's length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        # Of references the nearest come last.
        return name, value[-_HEADER_LIMIT:] if name.lower() == "references" else value[:_HEADER_LIMIT]


_POLICY = _BoundedHeaders()


def parse_mail(name: str, raw: bytes, *, limits: ParseLimits = DEFAULT_LIMITS) -> ParsedMail:
    """Return what can be read of a mail. ``name`` is the file or place it came from, for reports."""
    envelope, content = _without_envelope(raw)
    digest = sha256(content).hexdigest()
    mail, sound = _structure(content)
    headers = _headers(mail)
    problems: set[Problem] = set()
    if not sound or _broken_headers(mail) or not headers:
        problems.add(Problem.BROKEN_HEADERS)

    message_id = next(iter(message_ids(_first(headers, "message-id"))), None)
    if message_id is None:
        problems.add(Problem.MISSING_MESSAGE_ID)
        message_id = f"sha256.{digest}@no-message-id.invalid"
    subject = _subject(_first(headers, "subject"), limits, problems)
    sender_name, sender_address = _sender(headers, problems)
    date, date_source = _date(headers, envelope, limits, problems)
    body_text, attachments = _body(mail, sound, content, limits, problems)
    own = addresses_in(_first(headers, key) for key in ("from", "sender", "reply-to", "to", "cc"))
    return ParsedMail(
        name=name,
        digest=digest,
        message_id=message_id,
        in_reply_to=parent_id(_first(headers, "in-reply-to"), addresses=own),
        references=message_ids(" ".join(headers.get("references", ()))[-_HEADER_LIMIT:]),
        subject=subject,
        sender_name=sender_name,
        sender_address=sender_address,
        date=date,
        date_source=date_source,
        body_text=body_text,
        attachments=attachments,
        problems=tuple(problem for problem in Problem if problem in problems),
    )


def _without_envelope(raw: bytes) -> tuple[str | None, bytes]:
    if not raw.startswith(b"From "):
        return None, raw
    line, _, rest = raw.partition(b"\n")
    return line.decode("ascii", "replace"), rest


def _structure(content: bytes) -> tuple[Message, bool]:
    """Return the mail's structure, and whether the library could read it at all.

    The policy is the old one on purpose: it keeps headers as they are written, where the new one parses each when
    it is touched, raises from inside that on malformed ones, and is many times slower.
    """
    parser = BytesParser(policy=_POLICY)
    try:
        return parser.parsebytes(content), True
    except Exception:  # noqa: BLE001 - e.g. RecursionError on absurdly nested parts; a mail must never end an import
        block = _header_block(content)
    try:
        return parser.parsebytes(block, headersonly=True), False
    except Exception:  # noqa: BLE001 - as above
        return Message(policy=_POLICY), False


def _header_block(content: bytes) -> bytes:
    head, _, _ = content.replace(b"\r\n", b"\n").partition(b"\n\n")
    lines = (line for line in head.split(b"\n") if _HEADER_LINE.match(line) or line[:1] in b" \t")
    return b"\n".join(lines) + b"\n\n"


def _headers(mail: Message) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for key, value in mail.raw_items():
        headers.setdefault(str(key).lower(), []).append(str(value))
    return headers


def _broken_headers(mail: Message) -> bool:
    return any(isinstance(defect, HEADER_DEFECTS) for defect in mail.defects)


def _first(headers: dict[str, list[str]], key: str) -> str:
    return headers.get(key, [""])[0]


def _subject(value: str, limits: ParseLimits, problems: set[Problem]) -> str:
    subject, repaired = decode_header_text(value)
    if repaired:
        problems.add(Problem.BAD_CHARSET)
    if len(subject) > limits.subject_chars:
        problems.add(Problem.TRUNCATED)
        subject = subject[: max(0, limits.subject_chars - len(_SUBJECT_NOTE))] + _SUBJECT_NOTE
    return subject


def _sender(headers: dict[str, list[str]], problems: set[Problem]) -> tuple[str | None, str | None]:
    name: str | None = None
    for key in ("from", "sender"):
        written, address, repaired = sender_of(_first(headers, key))
        if repaired:
            problems.add(Problem.BAD_CHARSET)
        name = name or written
        if address:
            return name, address
    problems.add(Problem.MISSING_SENDER)
    return name, None


def _date(
    headers: dict[str, list[str]], envelope: str | None, limits: ParseLimits, problems: set[Problem]
) -> tuple[datetime | None, DateSource | None]:
    latest = limits.latest_date
    written = _first(headers, "date")
    if (date := date_of(written, latest=latest)) is not None:
        return date, DateSource.HEADER
    problems.add(Problem.BAD_DATE if written.strip() else Problem.MISSING_DATE)
    if (date := received_date(headers.get("received", ()), latest=latest)) is not None:
        return date, DateSource.RECEIVED
    if envelope and (date := envelope_date(envelope, latest=latest)) is not None:
        return date, DateSource.ENVELOPE
    return None, None


def _body(
    mail: Message, sound: bool, content: bytes, limits: ParseLimits, problems: set[Problem]
) -> tuple[str, tuple[str, ...]]:
    body = read_body(mail) if sound else _unstructured(content)
    if body.bad_charset:
        problems.add(Problem.BAD_CHARSET)
    if body.broken or not sound:
        problems.add(Problem.BROKEN_BODY)
    if not body.text.strip():
        problems.add(Problem.NO_TEXT)
    text = body.text
    if body.attachments:
        listed = "\n".join(f"[Attachment not imported: {name}]" for name in body.attachments)
        text = f"{text.rstrip()}\n\n{listed}\n".lstrip("\n")
    text, cut = cut_utf8(text, limits.body_bytes, _BODY_NOTE)
    if cut:
        problems.add(Problem.TRUNCATED)
    return text, tuple(body.attachments)


def _unstructured(content: bytes) -> Body:
    _, _, rest = content.replace(b"\r\n", b"\n").partition(b"\n\n")
    text, repaired = decode_bytes(rest, None)
    return Body(text=clean_body(text), bad_charset=repaired, broken=True)
